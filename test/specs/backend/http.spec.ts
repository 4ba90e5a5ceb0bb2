import { Backend, Change } from "../../../src/backend/backend";
import { httpBackend } from "../../../src/backend/http/http";
import { HttpOptions } from "../../../src/backend/http/options";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { countOf, expectWrote, failureOf, increment, look, put } from "./backends";
import { Faulty, RecordServer } from "./recordServer";

const URL = "https://data.example.com/v1";
const PATH = "/Players/global/k";

interface Scene {
	readonly world: World;
	readonly server: Server;
	readonly api: RecordServer;
	readonly backend: Backend;
}

function scene(body: (scene: Scene) => void, faulty: Faulty = {}, options: Partial<HttpOptions> = {}): void {
	simulate({ seed: 1 }, (world) => {
		const api = new RecordServer(faulty);
		world.services.web.serve(URL, api.handle);
		const server = world.startServer();
		const backend = httpBackend({ url: URL, ...options })({ platform: server.platform, store: "Players" });
		server.run(() => body({ world, server, api, backend }));
	});
}

/** Throws unless the API is refused with `word` in the message, and no record of the game was written. */
function expectDisabled(faulty: Faulty, word: string): void {
	scene(({ api, backend }) => {
		for (let round = 0; round < 2; round++) {
			const failure = failureOf(backend.update("k", increment));
			if (failure.retryable !== false) error("the failure may be tried again");
			if (failure.message.find(word, 1, true)[0] === undefined) error(`no "${word}" in: ${failure.message}`);
		}
		if (backend.read("k", true).success) error("a read was let through");
		if (api.count("PUT", PATH) !== 0) error("a write was let through");
	}, faulty);
}

export = () => {
	describe("records behind preconditions", () => {
		it("creates with If-None-Match: *, changes with If-Match on the ETag", () => {
			scene(({ api, backend }) => {
				expectWrote(backend.update("k", increment), 1);
				expectWrote(backend.update("k", increment), 2);
				expect(countOf(backend, "k")).to.equal(2);
				const puts = api.requests.filter((each) => each.method === "PUT" && each.path === PATH);
				expect(puts.size()).to.equal(2);
				expect(puts[0].headers.get("if-none-match")).to.equal("*");
				expect(puts[0].headers.get("if-match")).to.equal(undefined);
				expect(puts[1].headers.get("if-none-match")).to.equal(undefined);
				expect(puts[1].headers.get("if-match")).to.be.a("string");
			});
		});

		it("reads nothing where nothing is, and writes nothing where the transform keeps", () => {
			scene(({ api, backend }) => {
				expect(backend.read("k", true).unwrap()).to.equal(undefined);
				const kept = backend.update("k", look).unwrap();
				expect(kept.wrote).to.equal(false);
				expect(kept.report.value).to.equal(undefined);
				expect(api.count("PUT", PATH)).to.equal(0);
			});
		});

		it("prior fault: user ids and metadata go with every write", () => {
			scene(({ backend }) => {
				backend.update("k", put({ n: 1 }, [7, 8], { team: "red" })).unwrap();
				backend.update("k", increment).unwrap();
				const read = backend.read("k", true).unwrap();
				expect(read?.info.userIds.join()).to.equal("7, 8");
				expect((read?.info.metadata as { team?: string }).team).to.equal("red");
			});
		});

		it("takes the ETag header in any case", () => {
			scene(
				({ backend }) => {
					backend.update("k", increment).unwrap();
					expectWrote(backend.update("k", increment), 2);
				},
				{ etag: "lowerCase" },
			);
		});

		it("refuses a record without an ETag, or with a weak one", () => {
			for (const etag of ["none", "weak"] as const) {
				scene(
					({ api, backend }) => {
						api.writeValue(PATH, { n: 5 });
						const failure = failureOf(backend.update("k", increment));
						expect(failure.retryable).to.equal(false);
						expect(failure.message.find("ETag", 1, true)[0]).to.be.ok();
						expect(failureOf(backend.read("k", true)).retryable).to.equal(false);
						expect((api.valueAt(PATH) as { n: number }).n).to.equal(5);
					},
					{ etag },
				);
			}
		});

		it("refuses an answer that is no record, and leaves it", () => {
			for (const body of ["not json", "[]", '{"userIds":[]}', '{"value":1,"userIds":["x"]}', '"text"']) {
				scene(({ api, backend }) => {
					api.write(PATH, body);
					expect(failureOf(backend.update("k", increment)).retryable).to.equal(false);
					expect(api.records.get(PATH)?.body).to.equal(body);
				});
			}
		});

		it("encodes stores, scopes and keys, so that none of them can point elsewhere", () => {
			simulate({ seed: 1 }, (world) => {
				const api = new RecordServer();
				world.services.web.serve(URL, api.handle);
				const { platform } = world.startServer();
				const backend = httpBackend({ url: `${URL}/` })({ platform, store: "a/b", scope: "s?x" });
				world.servers[0].run(() => backend.update("../k é", increment).unwrap());
				expect(api.records.has("/a%2Fb/s%3Fx/%2E%2E%2Fk%20%C3%A9")).to.equal(true);
			});
		});

		it("a transform that throws writes nothing and is an error", () => {
			scene(({ api, backend }) => {
				expect(failureOf(backend.update("k", () => error("bug"))).retryable).to.equal(false);
				expect(api.count("PUT", PATH)).to.equal(0);
			});
		});
	});

	describe("conflicts", () => {
		it("412 re-runs the transform on what is stored then", () => {
			scene(({ api, backend }) => {
				let others = 3;
				api.beforeWrite = (path) => {
					if (path !== PATH || others === 0) return;
					others -= 1;
					api.writeValue(PATH, { n: 10 * (3 - others) });
				};
				expectWrote(backend.update("k", increment), 31);
				expect((api.valueAt(PATH) as { n: number }).n).to.equal(31);
				expect(api.count("PUT", PATH)).to.equal(4);
			});
		});

		it("gives up for now when others never stop", () => {
			scene(({ api, backend }) => {
				api.beforeWrite = (path) => {
					if (path === PATH) api.writeValue(PATH, { n: 0 });
				};
				const failure = failureOf(backend.update("k", increment));
				expect(failure.retryable).to.equal(true);
				expect((api.valueAt(PATH) as { n: number }).n).to.equal(0);
			});
		});

		it("two servers that count at once lose nothing", () => {
			simulate({ seed: 5, profile: "live" }, (world) => {
				const api = new RecordServer();
				world.services.web.serve(URL, api.handle);
				let done = 0;
				for (let index = 0; index < 2; index++) {
					const server = world.startServer();
					const backend = httpBackend({ url: URL })({ platform: server.platform, store: "Players" });
					server.spawn(() => {
						for (let round = 0; round < 5; round++) backend.update("k", increment).unwrap();
						done += 1;
					});
				}
				world.waitUntil(() => done === 2);
				expect((api.valueAt(PATH) as { n: number }).n).to.equal(10);
			});
		});
	});

	describe("failures at the server and on the way", () => {
		it("sends again after 5xx, 429 and transport errors, with pauses", () => {
			scene(
				({ world, api, backend }) => {
					backend.update("k", increment).unwrap();
					api.faulty = { next: { GET: [503, 429], PUT: [500, 0] } };
					const start = world.now();
					expectWrote(backend.update("k", increment), 2);
					expect(world.now() - start >= 1).to.equal(true);
				},
				{},
				{ retries: 3 },
			);
		});

		it("gives up after so many, and says that it may work later", () => {
			scene(({ api, backend }) => {
				backend.update("k", increment).unwrap();
				api.faulty = { next: { GET: [500, 500, 500, 500] } };
				const failure = failureOf(backend.read("k", true));
				expect(failure.retryable).to.equal(true);
				expect(failure.message.find("500", 1, true)[0]).to.be.ok();
				expect(api.faulty.next?.GET.size()).to.equal(1);
			});
		});

		it("does not send again what the API refuses", () => {
			for (const status of [400, 401, 403, 413]) {
				scene(({ api, backend }) => {
					backend.update("k", increment).unwrap();
					api.faulty = { next: { PUT: [status] } };
					const failure = failureOf(backend.update("k", increment));
					expect(failure.retryable).to.equal(false);
					expect(countOf(backend, "k")).to.equal(1);
				});
			}
		});

		it("I5: a write whose answer is lost is recognized by the transform, not doubled", () => {
			scene(({ world, api, backend }) => {
				backend.update("k", put({ ids: ["a"] })).unwrap();
				world.faults.add({ service: "Http", key: "PUT", effect: "loseAnswer", count: 1 });
				const answer = backend
					.update("k", (value): Change<string> => {
						const { ids } = value as { ids: Array<string> };
						if (ids.includes("b")) return { report: "mine" };
						return { write: { ids: [...ids, "b"] }, userIds: [], metadata: {}, report: "new" };
					})
					.unwrap();
				expect(answer.report).to.equal("mine");
				// Found, not written now: whoever finds something else instead knows that it may have been there.
				expect(answer.wrote).to.equal(false);
				expect(answer.mayHaveWritten).to.equal(true);
				expect(backend.update("k", look).unwrap().mayHaveWritten).to.equal(false);
				expect((api.valueAt(PATH) as { ids: Array<string> }).ids.join()).to.equal("a, b");
			});
		});

		it("a write that lands late is refused by its precondition when another came first", () => {
			scene(({ world, api, backend }) => {
				backend.update("k", increment).unwrap();
				world.faults.add({ service: "Http", key: "PUT", effect: "landLate", seconds: 20, count: 1 });
				expectWrote(backend.update("k", increment), 2);
				expectWrote(backend.update("k", increment), 3);
				world.waitUntil(() => api.count("PUT", PATH) === 4);
				expect((api.valueAt(PATH) as { n: number }).n).to.equal(3);
			});
		});

		it("a request that is never answered counts as failed after its time", () => {
			scene(
				({ world, backend }) => {
					backend.update("k", increment).unwrap();
					world.faults.add({ service: "Http", effect: "hang" });
					const start = world.now();
					const failure = failureOf(backend.update("k", increment));
					expect(failure.retryable).to.equal(true);
					expect(world.now() - start >= 10).to.equal(true);
					expect(world.now() - start < 12).to.equal(true);
				},
				{},
				{ timeoutSeconds: 5, retries: 1 },
			);
		});

		it("a refusal after an unanswered write does not say that nothing was written", () => {
			scene(({ world, api, backend }) => {
				backend.update("k", increment).unwrap();
				world.faults.add({ service: "Http", key: "PUT", effect: "loseAnswer", count: 1 });
				api.faulty = { next: { PUT: [0, 403] } };
				const failure = failureOf(backend.update("k", increment));
				expect(failure.retryable).to.equal(true);
				expect((api.valueAt(PATH) as { n: number }).n).to.equal(2);
			});
		});

		it("HTTP that is switched off is told, and not tried again", () => {
			scene(({ world, backend }) => {
				world.services.web.enabled = false;
				const failure = failureOf(backend.update("k", increment));
				expect(failure.retryable).to.equal(false);
				expect(failure.message.find("not enabled", 1, true)[0]).to.be.ok();
				// It was the game's settings and not the API: once they are mended, the backend works.
				world.services.web.enabled = true;
				expectWrote(backend.update("k", increment), 1);
			});
		});
	});

	describe("the probe: an API that does not honour preconditions is not used (fails closed)", () => {
		it("refuses one that ignores If-Match, If-None-Match, or creates for If-Match", () => {
			expectDisabled({ ignoresIfMatch: true }, "If-Match");
			expectDisabled({ ignoresIfNoneMatch: true }, "If-None-Match");
			expectDisabled({ createsForIfMatch: true }, "If-Match where there is no record");
		});

		it("refuses one that answers anything but 412", () => {
			for (const failedStatus of [200, 204, 304, 400, 404, 405, 409, 428]) {
				expectDisabled({ failedStatus }, `HTTP ${failedStatus}`);
			}
		});

		it("refuses one that takes no PUT", () => {
			expectDisabled({ next: { PUT: [405] } }, "405");
		});

		it("tries again when the API was merely down", () => {
			scene(({ api, backend }) => {
				api.faulty = { next: { PUT: [503] } };
				expect(failureOf(backend.update("k", increment)).retryable).to.equal(true);
				expectWrote(backend.update("k", increment), 1);
			});
		});

		it("runs once, however many come at once, and keeps away from the game's keys", () => {
			scene(({ world, server, api, backend }) => {
				let done = 0;
				for (let index = 0; index < 5; index++) {
					server.spawn(() => {
						backend.update(`k${index}`, increment).unwrap();
						done += 1;
					});
				}
				world.waitUntil(() => done === 5);
				const probes = api.requests.filter((each) => each.path.find("CKProbe", 1, true)[0] !== undefined);
				expect(probes.size()).to.equal(4);
			});
		});
	});

	describe("secrets only through HttpService:GetSecret", () => {
		it("sends the secret in its header, and nowhere else", () => {
			scene(
				({ world, api, backend }) => {
					world.services.web.setSecret("ApiKey", "hush");
					backend.update("k", increment).unwrap();
					for (const request of api.requests) {
						expect(request.headers.get("authorization")).to.equal("Bearer hush");
						expect(request.headers.get("x-game")).to.equal("mine");
					}
					api.faulty = { next: { PUT: [403] } };
					expect(failureOf(backend.update("k", increment)).message.find("hush", 1, true)[0]).to.equal(
						undefined,
					);
				},
				{},
				{
					headers: { "X-Game": "mine" },
					secretHeader: { name: "Authorization", secret: "ApiKey", prefix: "Bearer " },
				},
			);
		});

		it("says so when the experience has no such secret, and sends nothing", () => {
			scene(
				({ api, backend }) => {
					const failure = failureOf(backend.update("k", increment));
					expect(failure.retryable).to.equal(false);
					expect(failure.message.find("ApiKey", 1, true)[0]).to.be.ok();
					expect(api.requests.size()).to.equal(0);
				},
				{},
				{ secretHeader: { name: "Authorization", secret: "ApiKey" } },
			);
		});

		it("refuses headers with secrets in plain text, and its own headers", () => {
			expect(() => httpBackend({ url: URL, headers: { Authorization: "Bearer hush" } })).to.throw();
			expect(() => httpBackend({ url: URL, headers: { "x-api-key": "hush" } })).to.throw();
			expect(() => httpBackend({ url: URL, headers: { "If-Match": "*" } })).to.throw();
			expect(() => httpBackend({ url: "data.example.com" })).to.throw();
			expect(() => httpBackend({ url: URL, timeoutSeconds: 0 })).to.throw();
			expect(() => httpBackend({ url: URL, timeout: 5 } as HttpOptions)).to.throw();
		});
	});

	describe("removal is optional", () => {
		it("does not take away what another wrote meanwhile without looking again", () => {
			scene(
				({ api, backend }) => {
					backend.update("k", increment).unwrap();
					let others = 1;
					api.beforeWrite = (path) => {
						if (path !== PATH || others === 0) return;
						others -= 1;
						api.writeValue(PATH, { n: 50 });
					};
					expect(backend.remove!("k").success).to.equal(true);
					expect(api.count("DELETE", PATH)).to.equal(2);
					expect(api.valueAt(PATH)).to.equal(undefined);
				},
				{},
				{ remove: true },
			);
		});

		it("is absent by default", () => {
			scene(({ backend }) => {
				expect(backend.remove?.("k")).to.equal(undefined);
				expect(backend.listVersions?.("k", 1)).to.equal(undefined);
				expect(backend.readAt?.("k", 1)).to.equal(undefined);
				expect(backend.hasStoreTime).to.equal(false);
			});
		});

		it("sends DELETE where the API takes it; what is gone already is removed", () => {
			scene(
				({ api, backend }) => {
					backend.update("k", increment).unwrap();
					expect(backend.remove!("k").success).to.equal(true);
					expect(api.valueAt(PATH)).to.equal(undefined);
					expect(backend.remove!("k").success).to.equal(true);
					backend.update("k", increment).unwrap();
					api.faulty = { next: { DELETE: [405] } };
					expect(failureOf(backend.remove!("k")).retryable).to.equal(false);
				},
				{},
				{ remove: true },
			);
		});
	});
};
