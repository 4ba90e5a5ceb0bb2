import { Migration, checkMigrationNames, compareMigrations, runMigrations } from "../../../src/record/migrations";

const addOne: Migration = { name: "addOne", migrate: (data) => ({ n: (data as { n: number }).n + 1 }) };
const double: Migration = { name: "double", migrate: (data) => ({ n: (data as { n: number }).n * 2 }) };

function failureOf(migrate: (data: unknown) => unknown): string {
	const ran = runMigrations({ n: 1 }, ["addOne"], [addOne, { name: "bad", migrate }]);
	if (ran.success) error("the migration succeeded", 2);
	if (ran.error.type !== "migration_failed") error(`it failed as ${ran.error.type}`, 2);
	return ran.error.message;
}

export = () => {
	it("tells same, behind, outdated and mismatch apart", () => {
		expect(compareMigrations([], [])).to.equal("same");
		expect(compareMigrations(["a", "b"], ["a", "b"])).to.equal("same");
		expect(compareMigrations([], ["a"])).to.equal("behind");
		expect(compareMigrations(["a"], ["a", "b"])).to.equal("behind");
		expect(compareMigrations(["a", "b"], ["a"])).to.equal("outdated");
		expect(compareMigrations(["a"], [])).to.equal("outdated");
		expect(compareMigrations(["b"], ["a", "b"])).to.equal("mismatch");
		expect(compareMigrations(["a", "c"], ["a", "b"])).to.equal("mismatch");
		expect(compareMigrations(["b", "a"], ["a", "b"])).to.equal("mismatch");
	});

	it("runs those that the record has not been through, in order, once", () => {
		const all = runMigrations({ n: 1 }, [], [addOne, double]).unwrap() as { n: number };
		expect(all.n).to.equal(4);
		const rest = runMigrations({ n: 1 }, ["addOne"], [addOne, double]).unwrap() as { n: number };
		expect(rest.n).to.equal(2);
		const data = { n: 1 };
		expect(runMigrations(data, ["addOne", "double"], [addOne, double]).unwrap()).to.equal(data);
	});

	it("names a migration that throws, and what it threw", () => {
		const message = failureOf(() => error("no such field"));
		expect(message.find('"bad"', 1, true)[0]).to.be.ok();
		expect(message.find("no such field", 1, true)[0]).to.be.ok();
	});

	it("names a migration that yields, and does not go on with it later", () => {
		let went = false;
		let running: thread | undefined;
		const message = failureOf((data) => {
			running = coroutine.running();
			coroutine.yield();
			went = true;
			return data;
		});
		expect(message.find('"bad"', 1, true)[0]).to.be.ok();
		expect(message.find("yield", 1, true)[0]).to.be.ok();
		if (running !== undefined) coroutine.resume(running);
		expect(went).to.equal(false);
	});

	it("refuses a migration that returns nothing", () => {
		expect(failureOf(() => undefined).find("nothing", 1, true)[0]).to.be.ok();
	});

	it("wants names that are unique and not empty", () => {
		expect(checkMigrationNames(["a", "b"])).to.equal(undefined);
		expect(checkMigrationNames(["a", "b", "a"])).to.be.a("string");
		expect(checkMigrationNames([""])).to.be.a("string");
	});
};
