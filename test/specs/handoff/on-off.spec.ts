import { memoryBackend } from "../../../src/backend/memory";
import { BatonError } from "../../../src/errors";
import { err, ok } from "../../../src/result";
import { Handoff } from "../../../src/handoff/handoff";
import { expectText, GameOptions, play, PlayerGame, thrownBy } from "../driver/playerGame";
import { simulate } from "../../cloud/simulate";
import { KEY, lockOf } from "./fleet";

const OFF: ReadonlyArray<{ readonly why: string; readonly options: GameOptions }> = [
	{ why: "handoff is false", options: { driver: { handoff: false } } },
	{ why: "the option jobId is set", options: { driver: { jobId: "simulated" } } },
	{
		why: "the option jobId is set to the server's own",
		options: { driver: { jobId: "same" }, server: { jobId: "same" } },
	},
	{ why: "the platform has no JobId", options: { server: { jobId: "" } } },
	{ why: "the backend is Memory", options: { driver: { backend: "Memory" } } },
	{ why: "the server is Studio", options: { server: { isStudio: true, jobId: "studio" } } },
	{ why: "the driver is not attached", options: { attach: false } },
	{ why: "handoff is true, and another condition fails", options: { driver: { handoff: true, jobId: "simulated" } } },
];

// Seed "Lock handoff", When it is on.
export = () => {
	describe("handoff is off where", () => {
		for (const { why, options } of OFF) {
			it(`${why}: no presence, no message, no Presence in locks`, () => {
				play((lobby, world) => {
					lobby.server.run(() => lobby.driver.load(KEY)).unwrap();
					world.wait(30);
					expect(world.trace.count({ service: "MemoryStore" })).to.equal(0);
					expect(world.trace.count({ service: "Messaging" })).to.equal(0);
					const scope = lobby.server.isStudio ? "Studio" : undefined;
					const lock = lobby.record(KEY, scope)?.Lock;
					if (options.driver?.backend !== "Memory") expect(lock).to.be.ok();
					expect(lock?.Presence).to.equal(undefined);
				}, options);
			});
		}
	});

	describe("handoff is on", () => {
		it("for a plain live server, with handoff left out or true, and for a backend of the game's own", () => {
			for (const driver of [{}, { handoff: true }, { backend: memoryBackend() }]) {
				play(
					(lobby, world) => {
						lobby.join(7);
						world.wait(30);
						expect(world.trace.count({ service: "MemoryStore", op: "SetAsync" })).to.equal(11);
						expect(world.trace.count({ service: "Messaging", op: "SubscribeAsync" })).to.equal(1);
						if (!("backend" in driver)) expect(lockOf(lobby)?.Presence).to.equal(true);
					},
					{ driver },
				);
			}
		});

		it("with an instance that is passed in, used as given, in Studio too; its JobId is the driver's", () => {
			simulate({ seed: 1 }, (world) => {
				const server = world.startServer({ isStudio: true });
				const topics = new Array<string>();
				const beats = new Array<string>();
				const made = new PlayerGame(world, { attach: false, driver: { name: "Unused" } });
				const { lock, flag } = server.run(() => {
					const handoff = new Handoff(server.platform, {
						jobId: "double",
						messages: {
							publish() {
								return ok(undefined);
							},
							subscribe(topic) {
								topics.push(topic);
								return err(new BatonError("roblox", "no messages here"));
							},
						},
						presence: {
							get() {
								return { status: "empty" };
							},
							set(key) {
								beats.push(key);
								return ok("created");
							},
							remove() {
								return ok(undefined);
							},
						},
					});
					const driver = made.newDriver({ platform: server.platform, handoff, studio: "live" });
					driver.attach();
					driver.load(KEY).unwrap();
					return { lock: lockOf(made), flag: handoff.flag() };
				});
				world.wait(7);
				expect(topics.join()).to.equal("CKHandoff_double");
				expect(beats.join()).to.equal("double, double, double");
				expect(flag).to.equal(true);
				expect(lock?.JobId).to.equal("double");
				expect(lock?.Presence).to.equal(true);
			});
		});

		it("never under two names: a jobId other than that of the given handoff is refused", () => {
			play((lobby) => {
				const handoff = lobby.server.run(() => new Handoff(lobby.server.platform, { jobId: "one" }));
				const text = thrownBy(() => lobby.newDriver({ name: "Two", handoff, jobId: "two" }));
				expectText(text, '"two"', '"one"', "jobId");
			});
		});
	});

	it("is one for all drivers of a server: Handoff.shared", () => {
		play((lobby) => {
			const { platform, jobId } = lobby.server;
			expect(Handoff.shared(platform, jobId)).to.equal(Handoff.shared(platform, jobId));
			expect(Handoff.shared(platform, jobId).jobId).to.equal(jobId);
			expect(Handoff.beatSeconds).to.equal(3);
			expect(Handoff.presenceTtlSeconds).to.equal(10);
		});
	});
};
