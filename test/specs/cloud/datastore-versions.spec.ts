import { Store, VersionInfo } from "../../../src/platform/platform";
import { expectPart, failureOf, onServer } from "./helpers";

const HOUR = 3600;
/** 2026-01-01T00:00:00Z. */
const START = 1767225600;

/** The versions of a key, oldest first. */
function versionsOf(store: Store, key: string): Array<VersionInfo> {
	const pages = store.ListVersionsAsync(key);
	const infos = pages.GetCurrentPage();
	while (!pages.IsFinished) {
		pages.AdvanceToNextPageAsync();
		for (const info of pages.GetCurrentPage()) infos.push(info);
	}
	return infos;
}

export = () => {
	describe("versions of a key", () => {
		it("the first write of each UTC hour keeps the version before; later ones take its place for good", () => {
			onServer({ startTime: START + 10 }, (store, server) => {
				const [, first] = store.UpdateAsync("k", () => $tuple("00:00"));
				server.platform.task.wait(HOUR / 2);
				const [, second] = store.UpdateAsync("k", () => $tuple("00:30"));
				server.platform.task.wait(HOUR / 2);
				store.UpdateAsync("k", () => $tuple("01:00"));
				const versions = versionsOf(store, "k");
				expect(versions.size()).to.equal(2);
				expect(versions[0].Version).to.equal(second!.Version);
				expect(versions[0].CreatedTime).to.equal(second!.UpdatedTime);
				expect(store.GetVersionAsync("k", second!.Version)[0]).to.equal("00:30");
				expectPart(
					failureOf(() => store.GetVersionAsync("k", first!.Version)),
					"not valid",
				);
			});
		});

		it("a removal is a tombstone; what was there stays readable, the version of the same hour by the switch", () => {
			for (const keeps of [true, false]) {
				onServer({ startTime: START + 10, switches: { removalKeepsHour: keeps } }, (store, server) => {
					store.UpdateAsync("k", () => $tuple("old"));
					server.platform.task.wait(HOUR);
					const [, info] = store.UpdateAsync("k", () => $tuple("last"));
					store.RemoveAsync("k");
					const versions = versionsOf(store, "k");
					expect(versions.map((version) => tostring(version.IsDeleted)).join(" ")).to.equal(
						keeps ? "false false true" : "false true",
					);
					expect(pcall(() => store.GetVersionAsync("k", info!.Version))[0]).to.equal(keeps);
					const tombstone = versions[versions.size() - 1];
					expect(store.GetVersionAsync("k", tombstone.Version)[0]).to.equal(undefined);
				});
			}
		});

		it("old versions go 30 days after they were replaced; the newest stays", () => {
			onServer({ startTime: START + 10, maxSeconds: 1e9 }, (store, server) => {
				store.UpdateAsync("k", () => $tuple(1));
				server.platform.task.wait(HOUR);
				store.UpdateAsync("k", () => $tuple(2));
				server.platform.task.wait(29 * 24 * HOUR);
				expect(versionsOf(store, "k").size()).to.equal(2);
				server.platform.task.wait(2 * 24 * HOUR);
				expect(versionsOf(store, "k").size()).to.equal(1);
			});
		});

		it("GetVersionAtTimeAsync finds what was stored then, or nothing", () => {
			onServer({ startTime: START + 10 }, (store, server) => {
				store.UpdateAsync("k", () => $tuple("first"));
				server.platform.task.wait(HOUR);
				store.UpdateAsync("k", () => $tuple("second"));
				server.platform.task.wait(HOUR);
				store.RemoveAsync("k");
				const at = (seconds: number): unknown => store.GetVersionAtTimeAsync("k", (START + seconds) * 1000)[0];
				expect(at(5)).to.equal(undefined);
				expect(at(60)).to.equal("first");
				expect(at(HOUR - 5)).to.equal("first");
				expect(at(HOUR + 60)).to.equal("second");
				expect(at(2 * HOUR + 60)).to.equal(undefined);
				expectPart(
					failureOf(() => at(3 * HOUR)),
					"InvalidTimestamp",
				);
				expectPart(
					failureOf(() => store.GetVersionAtTimeAsync("k", 0)),
					"InvalidTimestamp",
				);
			});
		});

		it("a stale list leaves out what was written last", () => {
			onServer({ startTime: START + 10 }, (store, server, world) => {
				store.UpdateAsync("k", () => $tuple(1));
				server.platform.task.wait(HOUR);
				store.UpdateAsync("k", () => $tuple(2));
				world.faults.add({ service: "DataStore", op: "ListVersionsAsync", effect: "stale", count: 1 });
				expect(versionsOf(store, "k").size()).to.equal(1);
				expect(versionsOf(store, "k").size()).to.equal(2);
			});
		});

		it("are listed in pages, both ways, and between dates", () => {
			onServer({ startTime: START + 10 }, (store, server) => {
				for (let hour = 0; hour < 5; hour++) {
					store.UpdateAsync("k", () => $tuple(hour));
					server.platform.task.wait(HOUR);
				}
				const descending = { Name: "Descending" } as Enum.SortDirection;
				const pages = store.ListVersionsAsync("k", descending, 0, 0, 2);
				const values = new Array<number>();
				for (;;) {
					for (const info of pages.GetCurrentPage()) {
						values.push(store.GetVersionAsync("k", info.Version)[0] as number);
					}
					if (pages.IsFinished) break;
					pages.AdvanceToNextPageAsync();
				}
				expect(values.join(" ")).to.equal("4 3 2 1 0");
				expectPart(
					failureOf(() => pages.AdvanceToNextPageAsync()),
					"No pages to advance to.",
				);
				const some = store.ListVersionsAsync("k", undefined, (START + HOUR) * 1000, (START + 3 * HOUR) * 1000);
				expect(some.GetCurrentPage().size()).to.equal(2);
			});
		});
	});
};
