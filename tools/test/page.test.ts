import assert from "node:assert/strict";
import { test } from "node:test";
import { readAddress, writeAddress } from "../../try/address.ts";
import { playersAt } from "../../try/scene/players.ts";
import type { PlaceInstance } from "../host/place.ts";
import { pagePlace } from "../page/place.ts";
import { traceHash } from "../story/traceHash.ts";

test("the page's place has the package, the cloud and the story, and no specs or other libraries", () => {
	const place: Array<PlaceInstance> = [
		{ className: "ReplicatedStorage", name: "ReplicatedStorage", parent: -1 },
		{ className: "Folder", name: "other", parent: 0 },
		{ className: "ServerScriptService", name: "ServerScriptService", parent: -1 },
		{ className: "Folder", name: "Baton", parent: 2 },
		{ className: "Folder", name: "test", parent: 3 },
		{ className: "Folder", name: "specs", parent: 4 },
		{ className: "ModuleScript", name: "a.spec", parent: 5, source: "" },
		{ className: "Folder", name: "story", parent: 4 },
		{ className: "ModuleScript", name: "trade", parent: 7, source: "return 1" },
		{ className: "Folder", name: "src", parent: 3 },
	];
	const kept = pagePlace(place);
	assert.deepEqual(
		kept.map(({ name, parent }) => [name, kept[parent]?.name]),
		[
			["ReplicatedStorage", undefined],
			["ServerScriptService", undefined],
			["Baton", "ServerScriptService"],
			["test", "Baton"],
			["story", "test"],
			["trade", "story"],
			["src", "Baton"],
		],
	);
	assert.equal(kept[5]!.source, "return 1");
});

test("an address is read back as it was written; what means nothing gets its default", () => {
	for (const query of [
		"?case=other-server-crashed&seed=9&speed=16&latency=fast",
		"?case=trade-committed&seed=0&speed=0.25&latency=live&mishaps=lose%4021.5,crash.S1%4022",
	]) {
		assert.equal(writeAddress(readAddress(query)), query);
	}
	assert.equal(writeAddress(readAddress("")), "?case=other-server-connected&seed=1&speed=1&latency=live");
	assert.equal(
		writeAddress(readAddress("?case=other-server-crashed&seed=1e99&speed=3")),
		"?case=other-server-crashed&seed=1&speed=4&latency=live",
	);
});

test("a trace's name changes with any time, server or text in it", () => {
	const entry = { at: 1.5, server: "S1", text: "start" };
	const names = [
		[entry],
		[{ ...entry, at: 1.500001 }],
		[{ ...entry, server: "S2" }],
		[{ ...entry, text: "crash" }],
		[entry, entry],
	].map((timeline) => traceHash(timeline));
	assert.equal(new Set(names).size, names.length);
	assert.equal(traceHash([{ ...entry }]), names[0]);
});

test("a player waits from the join to the answer, keeps an old connection until it leaves, and is cut off by a crash", () => {
	const events = [
		{ at: 1, server: "S1", text: "join 7" },
		{ at: 2, server: "S1", text: "Player7 is in, with 25 coins" },
		{ at: 3, server: "S2", text: "join 7" },
		{ at: 5, server: "S1", text: "kick 7: You joined another server." },
		{ at: 5.1, server: "S1", text: "leave 7" },
		{ at: 6, server: "S2", text: "Player7 is in, with 25 coins" },
		{ at: 9, server: "S2", text: "crash" },
	];
	const at = (seconds: number) => playersAt(events, seconds)[0]!;
	assert.deepEqual([at(2.5).state, at(2.5).waited, at(2.5).connections], ["in", 1, ["S1"]]);
	assert.deepEqual([at(4).state, at(4).waited, at(4).connections], ["waiting", 1, ["S1", "S2"]]);
	assert.deepEqual([at(7).state, at(7).waited, at(7).connections], ["in", 3, ["S2"]]);
	assert.deepEqual([at(9).state, at(9).note, at(9).connections], ["out", "cut off", []]);
});
