import { StudioMode } from "../../../src/driver/options";
import { expectText, failureOf, lockedRecord, play, PlayerGame, recordOf, STORE, thrownBy } from "./playerGame";
import { Switches } from "../../cloud/switches";
import { World } from "../../cloud/world";
import { ServerOptions } from "../../cloud/server";

const KEY = "Player_7";
const STUDIO: ServerOptions = { isStudio: true };

/** Every wording of "Studio may not reach the stores" that is known. */
const WORDINGS: ReadonlyArray<string> = [
	"403: Cannot write to DataStore from studio if API access is not enabled.",
	"403: Can't write to DataStore from Studio because API access is not enabled.",
	"Cannot write to DataStore from studio if API access is not enabled.",
	"DataStoreService: StudioAccessToApisNotAllowed: Studio access to APIs is not allowed. API: UpdateAsync, Data Store: PlayerData",
	"StudioAccessToApisNotAllowed: Studio access to APIs is not allowed.",
	"502: API Services rejected request with error. HTTP 403 (Forbidden)",
	"You must publish this place to the web to access DataStore.",
];

/** Plays a session that must be kept in memory: in, earn, out, in again; told once. */
function expectMemory(lobby: PlayerGame, world: World): void {
	const first = lobby.join(7);
	lobby.set(first.profile, 5).unwrap();
	lobby.join(8);
	lobby.server.leave(first.player);
	world.wait(1);
	const again = lobby.join(7).profile.data.coins;
	if (again !== 5) error(`${again} coins after the rejoin`, 2);
	const seen = lobby.server.run(() => lobby.driver.peek(KEY)).unwrap()?.coins;
	if (seen !== 5) error(`peek shows ${seen}`, 2);
	lobby.server.run(() => lobby.driver.saveAll()).unwrap();
	const told = lobby.server.warnings.filter((text) => text.find("kept in memory", 1, true)[0] !== undefined);
	if (told.size() !== 1) error(`told ${told.size()} times`, 2);
	expectText(told[0], STORE, "API Services");
	if (lobby.server.kicks.size() > 0) error("a player was kicked", 2);
	if (world.store(STORE).keys().size() + world.store(STORE, "Studio").keys().size() > 0) error("stored", 2);
}

export = () => {
	describe("by default Studio keeps its own data, in scope Studio of the same store", () => {
		it("a play test neither touches nor locks a live profile, and sees none of it", () => {
			play(
				(lobby, world) => {
					world.store(STORE).set(KEY, lockedRecord(50));
					const version = world.store(STORE).info(KEY)!.version;
					const { player, profile } = lobby.join(7);
					expect(profile.data.coins).to.equal(0);
					lobby.set(profile, 3);
					lobby.server.leave(player);
					world.wait(2);
					expect(world.store(STORE).info(KEY)!.version).to.equal(version);
					expect((lobby.record(KEY, "Studio")!.Data as { coins: number }).coins).to.equal(3);
					expect(lobby.server.warnings.size()).to.equal(0);
				},
				{ server: STUDIO },
			);
		});

		it("a lock left by a hard Stop is taken at once by the next session, whose JobId is another stand-in", () => {
			play(
				(lobby, world) => {
					const { profile } = lobby.join(7);
					lobby.set(profile, 3);
					lobby.server.run(() => profile.save()).unwrap();
					const left = lobby.record(KEY, "Studio")!.Lock!;
					lobby.server.crash();
					const second = new PlayerGame(world, { server: STUDIO });
					const since = world.now();
					expect(second.join(7).profile.data.coins).to.equal(3);
					expect(world.now() - since < 0.3).to.equal(true);
					const taken = second.record(KEY, "Studio")!.Lock!;
					expect(left.JobId !== "" && taken.JobId !== "" && left.JobId !== taken.JobId).to.equal(true);
				},
				{ server: STUDIO },
			);
		});

		it("with a scope of the game's own it is Studio_<scope>; one too long for that is refused at construction, in Studio", () => {
			play(
				(lobby, world) => {
					const eu = lobby.server.run(() => lobby.newDriver({ name: "Other", scope: "eu" }));
					lobby.server.run(() => eu.load("k")).unwrap();
					expect(world.store("Other", "Studio_eu").get("k")).to.be.ok();
					const long = string.rep("s", 44);
					expectText(
						thrownBy(() => lobby.server.run(() => lobby.newDriver({ name: "Long", scope: long }))),
						"scope",
						"43",
					);
					lobby.server.run(() => lobby.newDriver({ name: "Long", scope: long, studio: "memory" }));
				},
				{ server: STUDIO },
			);
		});
	});

	describe('option studio: "separate" | "live" | "memory"', () => {
		it("live: the live data, with their locks honoured", () => {
			play(
				(lobby, world) => {
					world.store(STORE).set(KEY, recordOf(50));
					world.store(STORE).set("Player_8", lockedRecord(50));
					expect(lobby.join(7).profile.data.coins).to.equal(50);
					expect(failureOf(lobby.wait(lobby.server.join(8))).type).to.equal("profile_locked");
					expect(lobby.record("Player_8")?.Lock?.JobId).to.equal("elsewhere");
				},
				{ server: STUDIO, driver: { studio: "live" } },
			);
		});

		it("memory: no call of a data store, data kept until the stop", () => {
			play(
				(lobby, world) => {
					const { player, profile } = lobby.join(7);
					lobby.set(profile, 3);
					lobby.server.leave(player);
					world.wait(1);
					expect(lobby.join(7).profile.data.coins).to.equal(3);
					expect(world.trace.count({ service: "DataStore" })).to.equal(0);
					expect(lobby.server.warnings.size()).to.equal(0);
				},
				{ server: STUDIO, driver: { studio: "memory" } },
			);
		});

		it("on a live server none of them changes where data go", () => {
			for (const studio of ["separate", "live", "memory"] as ReadonlyArray<StudioMode>) {
				play(
					(lobby) => {
						lobby.join(7);
						expect(lobby.record(KEY)?.Lock).to.be.ok();
						expect(lobby.record(KEY, "Studio")).to.equal(undefined);
					},
					{ driver: { studio } },
				);
			}
		});
	});

	describe("without API access or in an unpublished place: said once, Memory backend", () => {
		for (const studio of ["separate", "live"] as ReadonlyArray<StudioMode>) {
			for (const errorTexts of ["old", "new"] as ReadonlyArray<Switches["errorTexts"]>) {
				it(`studio "${studio}", no API access (${errorTexts} texts)`, () => {
					play(expectMemory, {
						server: { ...STUDIO, apiAccess: false },
						driver: { studio },
						switches: { errorTexts },
					});
				});
			}

			it(`studio "${studio}", an unpublished place, where opening the store throws`, () => {
				play(expectMemory, { server: { ...STUDIO, published: false }, driver: { studio } });
			});
		}

		for (const message of WORDINGS) {
			it(`worded as "${message}"`, () => {
				play(
					(lobby, world) => {
						world.faults.add({ service: "DataStore", effect: "failBefore", message });
						expectMemory(lobby, world);
					},
					{ server: STUDIO },
				);
			});
		}

		it("an outage in Studio is an outage: tried again, and nothing falls back to memory", () => {
			play(
				(lobby, world) => {
					const outage = world.faults.add({ service: "DataStore", effect: "failBefore" });
					world.after(4, () => outage.remove());
					lobby.join(7);
					expect(lobby.record(KEY, "Studio")?.Lock).to.be.ok();
					expect(lobby.server.warnings.size()).to.equal(0);
				},
				{ server: STUDIO },
			);
		});
	});

	describe("prior fault: the mock was chosen on a live server because its test for Studio was wrong; never", () => {
		for (const message of WORDINGS) {
			it(`"${message}" on a live server: the join fails, nothing is kept in memory`, () => {
				play((lobby, world) => {
					const fault = world.faults.add({ service: "DataStore", effect: "failBefore", message });
					expect(failureOf(lobby.wait(lobby.server.join(7))).type).to.equal("roblox");
					world.wait(1);
					expect(lobby.server.kicks.size()).to.equal(1);
					fault.remove();
					lobby.join(7);
					expect(lobby.record(KEY)?.Lock).to.be.ok();
				});
			});
		}

		it("a live server with an empty JobId, and a live server whose place is not published, neither", () => {
			play(
				(lobby) => {
					lobby.join(7);
					expect(lobby.record(KEY)?.Lock).to.be.ok();
				},
				{ server: { jobId: "" } },
			);
			play(
				(lobby) => {
					expect(failureOf(lobby.wait(lobby.server.join(7))).type).to.equal("roblox");
				},
				{ server: { published: false } },
			);
		});
	});

	describe("prior fault: GetDataStore threw at require time in an unpublished place; stores are opened at first use", () => {
		it("making and attaching a driver there throws nothing", () => {
			play(
				(_, world) => {
					world.wait(5);
					expect(world.trace.count({ service: "DataStore" })).to.equal(0);
				},
				{ server: { published: false } },
			);
		});
	});
};
