import { Backend, Change, Transform } from "../../../src/backend/backend";
import { dataStoreBackend } from "../../../src/backend/dataStore";
import { Platform } from "../../../src/platform/platform";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { Switches } from "../../cloud/switches";
import { World } from "../../cloud/world";
import { countOf, expectWrote, failureOf, increment, look, put } from "./backends";

interface Scene {
	readonly world: World;
	readonly server: Server;
	readonly backend: Backend;
}

/** Runs `body` on a server with the backend over store `Players`. */
function scene(body: (scene: Scene) => void, switches: Partial<Switches> = {}): void {
	simulate({ seed: 1, switches }, (world) => {
		const server = world.startServer();
		const backend = dataStoreBackend({ platform: server.platform, store: "Players" });
		server.run(() => body({ world, server, backend }));
	});
}

export = () => {
	describe("update", () => {
		it("writes, reports, and tells the store's time in seconds", () => {
			scene(({ world, backend }) => {
				expectWrote(backend.update("k", increment), 1);
				const answer = backend.update("k", increment).unwrap();
				expect(answer.report).to.equal(2);
				expect(math.abs(answer.updatedTime! - world.cloudTime()) < 5).to.equal(true);
				expect(countOf(backend, "k")).to.equal(2);
			});
		});

		it("rule 1.2: a run before the last may have landed, and the answer says so", () => {
			scene(({ world, backend }) => {
				const once: Transform<boolean> = (value) =>
					value === undefined
						? { write: { n: 1 }, userIds: [], metadata: {}, report: true }
						: { report: false };
				expect(backend.update("plain", look).unwrap().mayHaveWritten).to.equal(false);
				world.faults.add({ service: "DataStore", op: "UpdateAsync", effect: "loseCommit", count: 1 });
				const answer = backend.update("k", once).unwrap();
				expect(answer.report).to.equal(false);
				expect(answer.wrote).to.equal(false);
				expect(answer.mayHaveWritten).to.equal(true);
				expect(countOf(backend, "k")).to.equal(1);
			});
		});

		it("prior fault: a cancelled transform and a failed call are told apart", () => {
			for (const cancelReturnsStored of [false, true]) {
				scene(
					({ world, backend }) => {
						backend.update("k", put({ n: 1 }, [7], { team: "red" })).unwrap();
						const cancelled = backend.update("k", look).unwrap();
						expect(cancelled.wrote).to.equal(false);
						expect(cancelled.updatedTime).to.equal(undefined);
						expect((cancelled.report.value as { n: number }).n).to.equal(1);
						expect(cancelled.report.info?.userIds[0]).to.equal(7);
						world.faults.add({ service: "DataStore", op: "UpdateAsync", effect: "failBefore" });
						expect(failureOf(backend.update("k", look)).type).to.equal("roblox");
					},
					{ cancelReturnsStored },
				);
			}
		});

		it("prior fault: user ids and metadata go with every write", () => {
			scene(({ backend }) => {
				backend.update("k", put({ n: 1 }, [7, 8], { team: "red" })).unwrap();
				backend.update("k", increment).unwrap();
				const read = backend.read("k", true).unwrap();
				expect(read?.info.userIds.size()).to.equal(2);
				expect((read?.info.metadata as { team?: string }).team).to.equal("red");
			});
		});

		it("scenario 28: the last of several runs is the one that is reported", () => {
			scene(({ world, backend }) => {
				world.faults.add({ service: "DataStore", op: "UpdateAsync", effect: "conflict", times: 3, count: 1 });
				let runs = 0;
				const answer = backend.update("k", (value, info) => {
					runs += 1;
					return { ...increment(value, info), report: runs };
				});
				expect(runs > 1).to.equal(true);
				expectWrote(answer, runs);
				expect(countOf(backend, "k")).to.equal(1);
			});
		});

		it("a run that recognizes its own write reports that, and no failure", () => {
			scene(({ world, backend }) => {
				world.faults.add({ service: "DataStore", op: "UpdateAsync", effect: "loseCommit", count: 1 });
				const answer = backend
					.update("k", (value): Change<string> =>
						value !== undefined
							? { report: "mine" }
							: { write: { n: 1 }, userIds: [], metadata: {}, report: "new" },
					)
					.unwrap();
				expect(answer.report).to.equal("mine");
				expect(answer.wrote).to.equal(false);
				expect(countOf(backend, "k")).to.equal(1);
			});
		});

		it("a lost answer is a failure that may be tried again, and says that it may have landed", () => {
			scene(({ world, backend }) => {
				world.faults.add({ service: "DataStore", op: "UpdateAsync", effect: "loseAnswer", count: 1 });
				const failure = failureOf(backend.update("k", increment));
				expect(failure.retryable).to.equal(true);
				expect(failure.message.find("may have landed", 1, true)[0]).to.be.ok();
				expect(failure.message.find('"k"', 1, true)[0]).to.be.ok();
				expect(failure.message.find("Players", 1, true)[0]).to.be.ok();
				expect(countOf(backend, "k")).to.equal(1);
			});
		});

		it("a transform that throws writes nothing and is an error, both ways that Roblox may take it", () => {
			for (const transformErrorPropagates of [false, true]) {
				scene(
					({ backend }) => {
						backend.update("k", increment).unwrap();
						const failure = failureOf(backend.update("k", () => error("bug in it")));
						expect(failure.retryable).to.equal(false);
						expect(failure.message.find("bug in it", 1, true)[0]).to.be.ok();
						expect(countOf(backend, "k")).to.equal(1);
					},
					{ transformErrorPropagates },
				);
			}
		});
	});

	describe("I5: an answer that cannot be true is an unknown outcome", () => {
		/** A backend over a store whose `UpdateAsync` runs the transform so many times and answers nothing. */
		function nothingAfter(runs: number): Backend {
			const { platform } = new World().startServer();
			const store = {
				UpdateAsync: (_self: unknown, _key: string, transform: (value: unknown) => unknown): unknown => {
					for (let run = 0; run < runs; run++) transform(undefined);
					return undefined;
				},
			};
			const dataStores = { GetDataStore: (): unknown => store } as unknown as Platform["dataStores"];
			return dataStoreBackend({ platform: { ...platform, dataStores }, store: "Players" });
		}

		it("a transform that decided to write, and a store that answers nothing", () => {
			const failure = failureOf(nothingAfter(1).update("k", increment));
			expect(failure.kind).to.equal("retryable");
			expect(failure.message.find("may have landed", 1, true)[0]).to.be.ok();
			// Where it decided to keep what is stored, nothing is the true answer.
			expect(nothingAfter(1).update("k", look).unwrap().wrote).to.equal(false);
		});

		it("a store that answers without asking the transform", () => {
			expect(failureOf(nothingAfter(0).update("k", look)).kind).to.equal("retryable");
		});
	});

	describe("read", () => {
		it("gives nothing where nothing is stored, and copies where something is", () => {
			scene(({ backend }) => {
				expect(backend.read("k", true).unwrap()).to.equal(undefined);
				backend.update("k", put({ list: [1, 2] })).unwrap();
				const first = backend.read("k", true).unwrap()?.value as { list: Array<number> };
				first.list.push(3);
				const second = backend.read("k", true).unwrap()?.value as { list: Array<number> };
				expect(second.list.size()).to.equal(2);
			});
		});

		it("fresh goes past the read cache", () => {
			simulate({ seed: 1 }, (world) => {
				const reader = world.startServer();
				const writer = world.startServer();
				const there = dataStoreBackend({ platform: writer.platform, store: "Players" });
				const here = dataStoreBackend({ platform: reader.platform, store: "Players" });
				writer.run(() => there.update("k", increment).unwrap());
				reader.run(() => here.read("k", false).unwrap());
				writer.run(() => there.update("k", increment).unwrap());
				reader.run(() => {
					const cached = here.read("k", false).unwrap()?.value as { n: number };
					expect(cached.n).to.equal(1);
					expect(countOf(here, "k")).to.equal(2);
				});
			});
		});
	});

	describe("scopes, removal and versions", () => {
		it("keeps scopes apart", () => {
			scene(({ server, backend }) => {
				const studio = dataStoreBackend({ platform: server.platform, store: "Players", scope: "Studio" });
				backend.update("k", increment).unwrap();
				expect(countOf(studio, "k")).to.equal(undefined);
			});
		});

		it("removes", () => {
			scene(({ backend }) => {
				backend.update("k", increment).unwrap();
				expect(backend.remove!("k").success).to.equal(true);
				expect(backend.read("k", true).unwrap()).to.equal(undefined);
			});
		});

		it("lists versions newest first, and reads one at a time", () => {
			simulate({ seed: 1 }, (world) => {
				const server = world.startServer();
				const backend = dataStoreBackend({ platform: server.platform, store: "Players" });
				const times = new Array<number>();
				for (let hour = 0; hour < 4; hour++) {
					server.run(() => backend.update("k", increment).unwrap());
					times.push(world.cloudTime());
					world.wait(3600);
				}
				server.run(() => {
					const all = backend.listVersions!("k", 10).unwrap();
					expect(all.size()).to.equal(4);
					expect(all[0].createdTime > all[1].createdTime).to.equal(true);
					expect(math.abs(all[3].createdTime - times[0]) < 60).to.equal(true);
					expect(backend.listVersions!("k", 2).unwrap().size()).to.equal(2);
					const old = backend.readAt!("k", times[1] + 60).unwrap()?.value as { n: number };
					expect(old.n).to.equal(2);
					expect(backend.readAt!("k", times[0] - 1000).unwrap()).to.equal(undefined);
				});
			});
		});
	});

	describe("errors, in both forms of their texts", () => {
		for (const errorTexts of ["old", "new"] as const) {
			it(`are classified in the ${errorTexts} form`, () => {
				scene(
					({ world, server, backend }) => {
						const failing = world.faults.add({ service: "DataStore", effect: "failBefore" });
						expect(failureOf(backend.update("k", increment)).kind).to.equal("retryable");
						expect(failureOf(backend.read("k", true)).kind).to.equal("retryable");
						expect(failureOf(backend.remove!("k")).kind).to.equal("retryable");
						expect(failureOf(backend.listVersions!("k", 5)).kind).to.equal("retryable");
						failing.remove();
						const throttled = world.faults.add({ service: "DataStore", effect: "throttle" });
						expect(failureOf(backend.update("k", increment)).retryable).to.equal(true);
						throttled.remove();
						const large = failureOf(backend.update("k", put({ text: string.rep("x", 4_200_000) })));
						expect(large.kind).to.equal("rejected");
						expect(large.retryable).to.equal(false);
						expect(failureOf(backend.update("", increment)).kind).to.equal("rejected");
						expect(failureOf(backend.update("k", put({ f: () => {} }))).kind).to.equal("rejected");
						expect(failureOf(backend.update("k", put(1, [1, 2, 3, 4, 5]))).kind).to.equal("rejected");
						expect(server.alive).to.equal(true);
					},
					{ errorTexts },
				);
			});

			it(`Studio without API access is told in the ${errorTexts} form`, () => {
				simulate({ seed: 1, switches: { errorTexts } }, (world) => {
					const server = world.startServer({ isStudio: true, apiAccess: false });
					const backend = dataStoreBackend({ platform: server.platform, store: "Players" });
					server.run(() => {
						expect(failureOf(backend.update("k", increment)).kind).to.equal("noAccess");
						expect(failureOf(backend.read("k", true)).kind).to.equal("noAccess");
					});
				});
			});
		}

		it("prior fault: GetDataStore threw at require time in an unpublished place", () => {
			simulate({ seed: 1 }, (world) => {
				const server = world.startServer({ isStudio: true, published: false });
				const backend = dataStoreBackend({ platform: server.platform, store: "Players" });
				server.run(() => {
					const failure = failureOf(backend.update("k", increment));
					expect(failure.kind).to.equal("noAccess");
					expect(failureOf(backend.read("k", false)).kind).to.equal("noAccess");
				});
			});
		});
	});
};
