import { Backend } from "../../../src/backend/backend";
import { memoryBackend } from "../../../src/backend/memory";
import { MemoryRecords } from "../../../src/backend/memoryRecords";
import { World } from "../../cloud/world";
import { countOf, expectWrote, failureOf, increment, look, put } from "./backends";

function open(world: World, shared?: MemoryRecords): Backend {
	return memoryBackend(shared)({ platform: world.startServer().platform, store: "Players" });
}

export = () => {
	it("writes, keeps, reports, and carries user ids and metadata", () => {
		const backend = open(new World());
		expectWrote(backend.update("k", put({ n: 1 }, [7], { team: "red" })), true);
		expectWrote(backend.update("k", increment), 2);
		const kept = backend.update("k", look).unwrap();
		expect(kept.wrote).to.equal(false);
		expect(kept.report.info?.userIds[0]).to.equal(7);
		expect((kept.report.info?.metadata as { team?: string }).team).to.equal("red");
		expect(countOf(backend, "k")).to.equal(2);
		expect(backend.read("other", true).unwrap()).to.equal(undefined);
	});

	it("stores copies and gives copies", () => {
		const backend = open(new World());
		const value = { list: [1] };
		backend.update("k", put(value)).unwrap();
		value.list.push(2);
		const read = backend.read("k", true).unwrap()?.value as { list: Array<number> };
		expect(read.list.size()).to.equal(1);
		read.list.push(3);
		expect((backend.read("k", true).unwrap()?.value as { list: Array<number> }).list.size()).to.equal(1);
	});

	it("a transform that throws writes nothing and is an error", () => {
		const backend = open(new World());
		backend.update("k", increment).unwrap();
		expect(failureOf(backend.update("k", () => error("bug"))).retryable).to.equal(false);
		expect(countOf(backend, "k")).to.equal(1);
	});

	it("keeps servers apart, and drivers of one server together; shared records join servers", () => {
		const world = new World();
		const server = world.startServer();
		const context = { platform: server.platform, store: "Players" };
		memoryBackend()(context).update("k", increment).unwrap();
		expect(countOf(memoryBackend()(context), "k")).to.equal(1);
		expect(countOf(memoryBackend()({ ...context, scope: "Studio" }), "k")).to.equal(undefined);
		expect(countOf(memoryBackend()({ ...context, store: "Guilds" }), "k")).to.equal(undefined);
		expect(countOf(open(world), "k")).to.equal(undefined);
		const shared = new MemoryRecords();
		open(world, shared).update("k", increment).unwrap();
		expectWrote(open(world, shared).update("k", increment), 2);
	});

	it("removes, lists versions newest first, and reads one at a time", () => {
		const world = new World();
		const server = world.startServer();
		const backend = memoryBackend()({ platform: server.platform, store: "Players" });
		const times = new Array<number>();
		world.run(() => {
			for (let hour = 0; hour < 3; hour++) {
				backend.update("k", increment).unwrap();
				times.push(server.platform.time());
				world.wait(3600);
			}
			backend.remove!("k").unwrap();
		});
		expect(backend.read("k", true).unwrap()).to.equal(undefined);
		const versions = backend.listVersions!("k", 10).unwrap();
		expect(versions.size()).to.equal(4);
		expect(versions[0].deleted).to.equal(true);
		expect(versions[0].createdTime > versions[1].createdTime).to.equal(true);
		expect(backend.listVersions!("k", 2).unwrap().size()).to.equal(2);
		expect((backend.readAt!("k", times[1]).unwrap()?.value as { n: number }).n).to.equal(2);
		expect(backend.readAt!("k", times[0] - 1).unwrap()).to.equal(undefined);
		expect(backend.readAt!("k", server.platform.time()).unwrap()).to.equal(undefined);
	});

	it("writes of one hour share a version, as in data stores", () => {
		const backend = open(new World());
		for (let time = 0; time < 5; time++) backend.update("k", increment).unwrap();
		expect(backend.listVersions!("k", 10).unwrap().size()).to.equal(1);
		expect(countOf(backend, "k")).to.equal(5);
	});

	it("has no store time", () => {
		const backend = open(new World());
		expect(backend.hasStoreTime).to.equal(false);
		expect(backend.update("k", increment).unwrap().updatedTime).to.equal(undefined);
	});
};
