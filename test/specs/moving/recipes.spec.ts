import { fromLapis } from "../../../src/legacy/lapis";
import { fromProfileStore } from "../../../src/legacy/profileStore";
import { flush } from "../../../src/lockless/flush";
import { acquire } from "../../../src/record/acquire";
import { giveBack } from "../../../src/record/giveBack";
import { ImportLegacy, LegacyFormat } from "../../../src/record/importLegacy";
import { shapeOf } from "../../../src/record/shape";
import { StoredRecord } from "../../../src/record/types";
import { DriverOptions } from "../../../src/driver/options";
import { simulate } from "../../cloud/simulate";
import { driverOn, textOf } from "../driver/drivers";
import { Coins, expectText, thrownBy } from "../driver/playerGame";
import { add, flushing, keepOf } from "../lockless/flushes";
import { acquisition, claim, record } from "../record/records";

const profileStore = fromProfileStore((data) => data);
const lapis = fromLapis((data) => data);

/** A record of ProfileStore; `session` is its lock. */
function profile(session?: unknown): unknown {
	return {
		Data: { n: 1 },
		MetaData: { SessionLoadCount: 3, LastUpdate: 900, ActiveSession: session },
		GlobalUpdates: [2, []],
		UserIds: [7],
	};
}

/** A record of Lapis; `lockId` is its lock. */
function document(lockId?: string): unknown {
	return { migrationVersion: 2, lastCompatibleVersion: 1, lockId, data: { n: 1 } };
}

/** What becomes of a locked value whose last write is so many seconds old. */
function outcomeAt(age: number | undefined, value: unknown, importLegacy: ImportLegacy<unknown>): string {
	const storeNow = 100_000;
	const updatedTime = age !== undefined ? storeNow - age : undefined;
	const decision = acquire(value, updatedTime, acquisition({ importLegacy, claim: claim({ storeNow }) }));
	return decision.write !== undefined ? "wrote" : decision.keep;
}

function written(value: unknown, importLegacy: ImportLegacy<unknown>): StoredRecord & Record<string, unknown> {
	const decision = acquire(value, undefined, acquisition({ importLegacy }));
	if (decision.write === undefined) error(`kept: ${decision.keep}`, 2);
	return decision.write as unknown as StoredRecord & Record<string, unknown>;
}

const SESSION = [1, "job", "id"];

export = () => {
	// From the issue: recipes that "respect their live locks"; each library's own figure is in its source.
	describe("a lock of the old library", () => {
		it("ProfileStore's holds for 630 s after the last write", () => {
			expect(outcomeAt(630, profile(SESSION), profileStore)).to.equal("legacy");
			expect(outcomeAt(631, profile(SESSION), profileStore)).to.equal("wrote");
			expect(outcomeAt(0, profile(), profileStore)).to.equal("wrote");
		});

		it("Lapis's holds for 30 minutes after the last write", () => {
			expect(outcomeAt(1800, document("lock"), lapis)).to.equal("legacy");
			expect(outcomeAt(1801, document("lock"), lapis)).to.equal("wrote");
			expect(outcomeAt(0, document(), lapis)).to.equal("wrote");
		});

		it("the game's own figure counts in its place, and must be one", () => {
			const soon = fromProfileStore((data) => data, { deadAfterSeconds: 500 });
			expect(outcomeAt(500, profile(SESSION), soon)).to.equal("legacy");
			expect(outcomeAt(501, profile(SESSION), soon)).to.equal("wrote");
			for (const deadAfterSeconds of [0, -1, 0 / 0, "5" as never]) {
				expectText(
					thrownBy(() => fromProfileStore((data) => data, { deadAfterSeconds })),
					"fromProfileStore",
					"deadAfterSeconds",
				);
				expectText(
					thrownBy(() => fromLapis((data) => data, { deadAfterSeconds })),
					"fromLapis",
					"deadAfterSeconds",
				);
			}
		});

		it("protocol 2.2: without the store's time it is never taken by age, and the time is asked for where there is one", () => {
			for (const [hasStoreTime, asks] of [
				[true, true],
				[false, false],
			]) {
				const request = acquisition({
					importLegacy: profileStore,
					claim: { ...claim({ hasStoreTime, wallNow: 1e12 }), storeNow: undefined },
				});
				const decision = acquire(profile(SESSION), 900, request);
				expect(decision.write).to.equal(undefined);
				expect((decision as { needsStoreTime: boolean }).needsStoreTime).to.equal(asks);
			}
			expect(outcomeAt(undefined, profile(SESSION), profileStore)).to.equal("legacy");
		});

		it("counts for nothing in Studio's own data, whose servers are stopped by hand", () => {
			const request = acquisition({ importLegacy: profileStore, claim: claim({ anyLock: true }) });
			expect(acquire(profile(SESSION), 1000, request).write).to.be.ok();
		});

		it("a lockless write never passes it, however old", () => {
			const updates = [add(1, 1)];
			expect(keepOf(profile(SESSION), flushing({ importLegacy: profileStore, updates }), 1)).to.equal("invalid");
			expect(keepOf(profile(), flushing({ importLegacy: profileStore, updates }), 1)).to.equal("wrote");
		});
	});

	// Protocol 1.1 and 1.3: an acquire that was given back writes nothing when it lands later.
	describe("giving back an acquire that was not answered", () => {
		const give = (value: unknown, importLegacy: ImportLegacy<unknown>) =>
			giveBack(value, { token: "t2", fresh: { defaults: { n: 0 }, migrations: [], importLegacy } }).write;

		it("moves a free record over, already given back, as the acquire would when it lands later", () => {
			const given = give(profile(), profileStore);
			expect(textOf(given!.Data)).to.equal(textOf({ n: 1 }));
			expect(given!.Lock).to.equal(undefined);
			expect(textOf((given as unknown as { UserIds: unknown }).UserIds)).to.equal(textOf([7]));
			expect(given!.Meta.KeepsOut).to.equal("ProfileStore");
			expect(outcomeAt(0, given, profileStore)).to.equal("released");
			expect(give(5, (value) => ({ n: value }))!.Meta.ReleasedToken).to.equal("t2");
		});

		it("leaves one that the old library has open, or that cannot be read", () => {
			expect(give(profile(SESSION), profileStore)).to.equal(undefined);
			expect(give(document(), profileStore)).to.equal(undefined);
		});
	});

	describe("what a recipe reads", () => {
		it("only its own library's records; anything else is left alone", () => {
			for (const value of [
				5,
				{},
				{ Data: {} },
				{ Data: {}, MetaData: {} },
				{ data: {} },
				profile("odd"),
				document(),
			]) {
				expect(outcomeAt(0, value, profileStore)).to.equal("invalid");
			}
			for (const value of [5, {}, { data: {} }, { migrationVersion: 1 }, profile()]) {
				expect(outcomeAt(0, value, lapis)).to.equal("invalid");
			}
		});

		it("the conversion decides what the data are, and may refuse", () => {
			expect(
				outcomeAt(
					0,
					profile(),
					fromProfileStore(() => undefined),
				),
			).to.equal("invalid");
			expect(
				outcomeAt(
					0,
					document(),
					fromLapis(() => undefined),
				),
			).to.equal("invalid");
			const made = written(
				document(),
				fromLapis((data, version) => ({ n: (data as { n: number }).n, version })),
			);
			expect(textOf(made.Data)).to.equal(textOf({ n: 1, version: 2 }));
		});

		it("ProfileService's messages have their data last, as ProfileStore reads them", () => {
			let heard: unknown;
			const value = profile() as { GlobalUpdates: unknown };
			const updates = [
				[1, { gift: 1 }],
				[2, 5, false, { gift: 2 }],
			];
			written(
				{ ...value, GlobalUpdates: [2, updates] },
				fromProfileStore((data, messages) => {
					heard = messages;
					return data;
				}),
			);
			expect(textOf(heard)).to.equal(textOf([{ gift: 1 }, { gift: 2 }]));
		});
	});

	describe("what keeps the old library out", () => {
		const formats: ReadonlyArray<[LegacyFormat<unknown>, string, unknown]> = [
			[profileStore, "MetaData", profile()],
			[lapis, "migrationVersion", document()],
		];
		for (const [format, field, value] of formats) {
			it(`${format.library}: stands in every record that Baton makes, and the record counts as Baton's`, () => {
				const given = giveBack(undefined, {
					token: "t1",
					fresh: { defaults: { n: 0 }, migrations: [], importLegacy: format },
				});
				const flushed = flush(undefined, undefined, flushing({ importLegacy: format, updates: [add(1, 1)] }));
				// A record of before the driver had the format gets them with a lockless write, too.
				const ofBefore = flush(record(), undefined, flushing({ importLegacy: format, updates: [add(1, 1)] }));
				const records = [written(value, format), written(undefined, format), given.write, flushed.write];
				for (const made of [...records, ofBefore.write, written(record(), format)]) {
					expect((made as unknown as Record<string, unknown>)[field]).to.be.ok();
					expect(made!.Meta.KeepsOut).to.equal(format.library);
					expect(shapeOf(made).kind).to.equal("record");
				}
			});
		}

		it("of ProfileStore's record user ids and the messages' number stay, since its servers write them back", () => {
			const made = written(profile(), profileStore);
			expect(textOf(made.UserIds)).to.equal(textOf([7]));
			expect(textOf(made.GlobalUpdates)).to.equal(textOf([2, []]));
			expect(typeOf((made.MetaData as { ActiveSession: unknown }).ActiveSession)).to.equal("string");
		});

		it("it is written once: what the old library's servers changed in it since stays", () => {
			const made = written(profile(), profileStore);
			const again = written({ ...made, Lock: undefined, GlobalUpdates: [3, [[3, {}]]] }, profileStore);
			expect(textOf(again.GlobalUpdates)).to.equal(textOf([3, [[3, {}]]]));
		});

		it("a lockless write puts it into a record from before the format, too", () => {
			const request = flushing({ importLegacy: profileStore, updates: [add(1, 1)] });
			const made = flush(record(), 1000, request).write as StoredRecord & Record<string, unknown>;
			expect(made.MetaData).to.be.ok();
			expect(made.Meta.KeepsOut).to.equal("ProfileStore");
			expect(shapeOf(made).kind).to.equal("record");
		});

		it("fields that a format of the game's own keeps never stand in for Baton's", () => {
			const keeps = { Data: 1, Lock: 1, Pending: 1, Meta: 1, Old: 1 };
			const importLegacy = { library: "Mine", keepOut: {}, read: () => ({ data: { n: 1 }, keeps }) };
			const flushed = flush(5, 1000, flushing({ importLegacy, updates: [add(1, 1)] })).write;
			for (const made of [flushed, written(5, importLegacy)]) {
				expect(shapeOf(made).kind).to.equal("record");
				expect((made as unknown as { Old: unknown }).Old).to.equal(1);
			}
		});

		it("other fields without its mark make a value no record of Baton's, as before", () => {
			expect(shapeOf({ ...record(), MetaData: {} }).kind).to.equal("other");
		});
	});

	describe("the option", () => {
		it("takes a function or a format, and names what is wrong with one", () => {
			simulate({ seed: 1 }, (world) => {
				const server = world.startServer();
				const format = { library: "Mine", read: () => undefined, keepOut: {} };
				for (const [importLegacy, problem] of [
					[5, "must be a function"],
					[{}, "must be a function"],
					[{ ...format, library: "" }, "must be a function"],
					[{ ...format, read: 1 }, "must be a function"],
					[{ ...format, keepOut: undefined }, "must be a function"],
					[{ ...format, keepOut: { Lock: {} } }, "Lock"],
				] as ReadonlyArray<[unknown, string]>) {
					const options = { defaults: { coins: 0 }, importLegacy } as unknown as DriverOptions<Coins>;
					expectText(
						thrownBy(() => driverOn<Coins>(server, options)),
						"importLegacy",
						problem,
					);
				}
				driverOn<Coins>(server, { defaults: { coins: 0 }, importLegacy: format });
			});
		});
	});
};
