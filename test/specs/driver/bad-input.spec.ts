import { DeepReadonly } from "../../../src/record/deepReadonly";
import { DATA_BYTES } from "../../../src/record/limits";
import { Profile } from "../../../src/driver/profile";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { driverOn, loadOn, NAME, storedRecord } from "./drivers";
import { expectText, failureOf, thrownBy } from "./playerGame";

declare function newproxy(withMetatable?: boolean): unknown;

interface Data {
	readonly value?: unknown;
	readonly coins: number;
}

function scene(body: (profile: Profile<Data>, server: Server, world: World) => void): void {
	simulate({ seed: 1 }, (world) => {
		const server = world.startServer();
		const driver = driverOn<Data>(server, { defaults: { coins: 0 } });
		body(loadOn(server, driver, "k").unwrap(), server, world);
	});
}

/** Updates with `change` on the server. */
function update(server: Server, profile: Profile<Data>, change: (data: DeepReadonly<Data>) => Data) {
	return server.run(() => profile.update(change));
}

function cyclic(): object {
	const outer: { inner?: { outer?: object } } = { inner: {} };
	outer.inner!.outer = outer;
	return outer;
}

function deep(levels: number): object {
	let value: object = {};
	for (let level = 1; level < levels; level++) value = { value };
	return value;
}

const holes = new Map<unknown, unknown>([
	[1, "a"],
	[3, "c"],
]);
const mixed = new Map<unknown, unknown>([
	[1, "a"],
	["name", "b"],
]);

const BAD: ReadonlyArray<[what: string, value: () => unknown, path: string]> = [
	["NaN", () => ({ pets: [{ age: 0 / 0 }] }), "data.value.pets[0].age"],
	["infinity", () => [1, 2, math.huge], "data.value[2]"],
	["minus infinity", () => -math.huge, "data.value"],
	["a mixed table", () => ({ bag: mixed }), "data.value.bag"],
	["a sparse array", () => holes, "data.value"],
	["a number as key", () => new Map([[17, "x"]]), "data.value"],
	["a fraction as key", () => new Map([[1.5, "x"]]), "data.value"],
	["a boolean as key", () => new Map([[true, "x"]]), "data.value"],
	["a table as key", () => new Map([[{}, "x"]]), "data.value"],
	["a function", () => ({ run: () => 1 }), "data.value.run"],
	["a thread", () => coroutine.create(() => 1), "data.value"],
	["a userdata", () => newproxy(), "data.value"],
	["invalid UTF-8", () => ({ name: "a\xff" }), "data.value.name"],
	["a key of invalid UTF-8", () => new Map([["a\xff", 1]]), "data.value"],
	["a cycle", () => cyclic(), "data.value.inner.outer"],
	["an object of a class", () => ({ thing: setmetatable({}, {}) }), "data.value.thing"],
	["too many levels", () => deep(200), "data.value"],
	["over 4 MB in one text", () => string.rep("x", 4200000), "data"],
	["over 4 MB in many texts", () => manyTexts(), "data"],
];

function manyTexts(): object {
	const texts = new Array<string>();
	for (let index = 0; index < 45; index++) texts.push(string.rep("x", 100000));
	return texts;
}

export = () => {
	describe("prior fault: such a value made every later save fail; it never enters the profile", () => {
		for (const [what, value, path] of BAD) {
			it(`${what}: invalid_data with store, key and path; nothing written, the profile keeps its data and stays usable`, () => {
				scene((profile, server, world) => {
					update(server, profile, () => ({ coins: 1 })).unwrap();
					const before = profile.data;
					const cause = failureOf(update(server, profile, () => ({ coins: 2, value: value() })));
					expect(cause.type).to.equal("invalid_data");
					expect(cause.store).to.equal(NAME);
					expect(cause.key).to.equal("k");
					expectText(cause.path ?? "", path);
					expectText(cause.message, NAME, '"k"', path);
					expect(profile.data).to.equal(before);
					expect(profile.active).to.equal(true);
					world.wait(0.5);
					expect(world.trace.durableWrites({ key: "k" })).to.equal(1);
					update(server, profile, (data) => ({ coins: data.coins + 2 })).unwrap();
					server.run(() => profile.release()).unwrap();
					expect((storedRecord(world, "k")!.Data as Data).coins).to.equal(3);
					expect(server.warnings.size()).to.equal(0);
				});
			});
		}

		it("data that are no table: nothing, a number, a text", () => {
			scene((profile, server) => {
				for (const bad of [undefined, 5, "x", true]) {
					const cause = failureOf(update(server, profile, () => bad as unknown as Data));
					expect(cause.type).to.equal("invalid_data");
					expectText(cause.message, "data must be a table");
				}
				expect(profile.data.coins).to.equal(0);
			});
		});

		it("a stored record that holds such data is refused on load, with the lock given back", () => {
			simulate({ seed: 1 }, (world) => {
				const server = world.startServer();
				const driver = driverOn<Data>(server, { defaults: { coins: 0 } });
				world.store(NAME).set("k", { Data: { coins: 0 / 0 }, Meta: { Turn: 1, Migrations: [] } });
				const cause = failureOf(loadOn(server, driver, "k"));
				expect(cause.type).to.equal("invalid_data");
				expect(cause.path).to.equal("data.coins");
				world.wait(5);
				expect(storedRecord(world, "k")!.Lock).to.equal(undefined);
			});
		});
	});

	describe("the profile keeps its last good data: functions given to update", () => {
		it("one that throws: its error comes through with its own text, nothing is changed", () => {
			scene((profile, server) => {
				expectText(
					thrownBy(() => update(server, profile, () => error("spec: no deal"))),
					"spec: no deal",
				);
				expect(profile.data.coins).to.equal(0);
				update(server, profile, () => ({ coins: 3 })).unwrap();
			});
		});

		it("one that yields, or calls update itself, throws with nothing changed", () => {
			scene((profile, server, world) => {
				expectText(
					thrownBy(() =>
						update(server, profile, () => {
							server.platform.task.wait(1);
							return { coins: 9 };
						}),
					),
					"yield",
				);
				expectText(
					thrownBy(() =>
						update(server, profile, () => {
							profile.update(() => ({ coins: 8 }));
							return { coins: 9 };
						}),
					),
					"inside",
				);
				world.wait(3);
				expect(profile.data.coins).to.equal(0);
				update(server, profile, () => ({ coins: 3 })).unwrap();
			});
		});

		it("one that changes the frozen data in place throws", () => {
			scene((profile, server) => {
				thrownBy(() =>
					update(server, profile, (data) => {
						(data as { coins: number }).coins = 7;
						return data;
					}),
				);
				expect(profile.data.coins).to.equal(0);
			});
		});

		it("one that lets the profile be released answers released, and what was stored is what it was", () => {
			scene((profile, server, world) => {
				const answer = update(server, profile, () => {
					server.platform.task.spawn(() => profile.release());
					return { coins: 9 };
				});
				expect(failureOf(answer).type).to.equal("released");
				world.wait(2);
				expect((storedRecord(world, "k")!.Data as Data).coins).to.equal(0);
				expect(profile.data.coins).to.equal(0);
			});
		});

		it("the same reference is no change: no signal, nothing to save", () => {
			scene((profile, server, world) => {
				let heard = 0;
				profile.onChanged.connect(() => (heard += 1));
				update(server, profile, (data) => data).unwrap();
				server.run(() => profile.save()).unwrap();
				expect(heard).to.equal(0);
				expect(world.trace.durableWrites({ key: "k" })).to.equal(1);
			});
		});
	});

	describe("over 4 MB is refused, just under it really saves", () => {
		it("a text that fills the limit to the byte saves, loads again elsewhere, and one byte more is refused", () => {
			scene((profile, server, world) => {
				// {"coins":00000,"value":"…"} by the driver's own, careful count.
				const over = failureOf(
					update(server, profile, () => ({ coins: 1, value: string.rep("x", DATA_BYTES) })),
				);
				const [counted] = over.message.match("can take (%d+) bytes");
				const room = DATA_BYTES - ((tonumber(counted) as number) - DATA_BYTES);
				failureOf(update(server, profile, () => ({ coins: 1, value: string.rep("x", room + 1) })));
				update(server, profile, () => ({ coins: 1, value: string.rep("x", room) })).unwrap();
				world.wait(61);
				server.run(() => profile.save()).unwrap();
				world.wait(61);
				server.run(() => profile.release()).unwrap();
				expect(world.store(NAME).info("k")!.bytes > DATA_BYTES - 100).to.equal(true);
				world.wait(61);
				const other = world.startServer();
				const driver = driverOn<Data>(other, { defaults: { coins: 0 } });
				const loaded = loadOn(other, driver, "k", { waitForLock: true }).unwrap();
				expect((loaded.data.value as string).size()).to.equal(room);
			});
		});

		it("values whose JSON is longer than they look are counted by their JSON", () => {
			scene((profile, server) => {
				for (const unit of ['"', "\\", "\n", "\0"]) {
					const cause = failureOf(
						update(server, profile, () => ({ coins: 1, value: string.rep(unit, DATA_BYTES / 2) })),
					);
					expect(cause.type).to.equal("invalid_data");
				}
			});
		});
	});

	describe("in one walk that skips subtrees already checked", () => {
		it("a large part that stays is not walked again: thousands of updates cost less than one walk each would", () => {
			scene((profile, server) => {
				const items = new Array<object>();
				for (let index = 0; index < 20000; index++) items.push({ id: index, tags: ["a", "b"] });
				update(server, profile, () => ({ coins: 0, value: items })).unwrap();
				// 3,000 walks over 40,000 tables would take minutes.
				for (let round = 0; round < 3000; round++) {
					profile.update((data) => ({ ...data, coins: data.coins + 1 })).unwrap();
				}
				expect(profile.data.coins).to.equal(3000);
				expect(profile.data.value).to.equal(items);
			});
		});
	});
};
