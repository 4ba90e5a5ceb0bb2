import { Backend } from "../../../src/backend/backend";
import { httpBackend } from "../../../src/backend/http/http";
import { HttpOptions } from "../../../src/backend/http/options";
import { simulate } from "../../cloud/simulate";
import { countOf, expectWrote, failureOf, increment, put } from "./backends";

/** Given by the host that runs the specs: starts a real web server on this machine and returns its URL. */
declare const __BATON_LOOPBACK: ((kind: "enforcing" | "ignoring" | "untagged") => string) | undefined;

const start = __BATON_LOOPBACK;

/** Runs `body` on a server with two backends over one real web server. */
function scene(
	kind: "enforcing" | "ignoring" | "untagged",
	body: (first: Backend, second: Backend) => void,
	options: Partial<HttpOptions> = {},
): void {
	if (start === undefined) error("this host starts no web servers");
	const url = start(kind);
	simulate({ seed: 1 }, (world) => {
		const { platform } = world.startServer();
		const open = (): Backend => httpBackend({ url, ...options })({ platform, store: "Players" });
		world.servers[0].run(() => body(open(), open()));
	});
}

export = () => {
	// Studio reaches no web server of its machine from the emulated web.
	const itReal = start !== undefined ? it : itSKIP;

	describe("the Http backend over real HTTP", () => {
		itReal("writes and reads records on a server that enforces preconditions", () => {
			scene("enforcing", (first, second) => {
				expect(first.read("k", true).unwrap()).to.equal(undefined);
				expectWrote(first.update("k", put({ n: 1, text: 'é "q" \n' }, [7], { team: "red" })), true);
				expectWrote(second.update("k", increment), 2);
				const read = first.read("k", true).unwrap();
				expect((read?.value as { n: number }).n).to.equal(2);
				expect(read?.info.userIds[0]).to.equal(7);
				expect((read?.info.metadata as { team?: string }).team).to.equal("red");
			});
		});

		itReal("keeps text as it is, and keys apart", () => {
			scene("enforcing", (first) => {
				const text = 'é "quoted" \\ / \n 😀';
				first.update("a/b ?é", put({ text })).unwrap();
				expect((first.read("a/b ?é", true).unwrap()?.value as { text: string }).text).to.equal(text);
				expect(first.read("a", true).unwrap()).to.equal(undefined);
			});
		});

		itReal("re-runs a transform that another write came before", () => {
			// Both counters run at once: each has read before the other has written.
			const url = start!("enforcing");
			simulate({ seed: 2, profile: "live" }, (world) => {
				const backends = new Array<Backend>();
				let done = 0;
				for (let index = 0; index < 2; index++) {
					const server = world.startServer();
					const backend = httpBackend({ url })({ platform: server.platform, store: "Players" });
					backends.push(backend);
					server.spawn(() => {
						for (let round = 0; round < 3; round++) backend.update("k", increment).unwrap();
						done += 1;
					});
				}
				world.waitUntil(() => done === 2);
				world.servers[0].run(() => expect(countOf(backends[0], "k")).to.equal(6));
			});
		});

		itReal("is disabled by a server that ignores preconditions", () => {
			scene("ignoring", (first) => {
				const failure = failureOf(first.update("k", increment));
				expect(failure.retryable).to.equal(false);
				expect(failure.message.find("preconditions", 1, true)[0]).to.be.ok();
			});
		});

		itReal("refuses records of a server that tells no ETag", () => {
			scene("untagged", (first) => {
				expectWrote(first.update("k", increment), 1);
				const failure = failureOf(first.update("k", increment));
				expect(failure.retryable).to.equal(false);
				expect(failure.message.find("ETag", 1, true)[0]).to.be.ok();
			});
		});

		itReal("removes under the record's ETag", () => {
			scene(
				"enforcing",
				(first) => {
					first.update("k", increment).unwrap();
					expect(first.remove!("k").success).to.equal(true);
					expect(first.read("k", true).unwrap()).to.equal(undefined);
					expect(first.remove!("k").success).to.equal(true);
				},
				{ remove: true },
			);
		});
	});
};
