import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { readAddress } from "../../try/address.ts";
import { groups } from "../../try/cases.ts";
import { playStory } from "../story/play.ts";
import { traceHash } from "../story/traceHash.ts";
import type { Play } from "../story/case.ts";

/** What the tests run on. */
export interface PageSetting {
	/** The address of the built page. */
	readonly url: string;
	/** The place it was built from. */
	readonly place: string;
	/** Opens a page at a query; what it complains of fails the test. */
	readonly open: (query: string, options?: OpenOptions) => Promise<Page>;
	readonly say: (text: string) => void;
}

export interface OpenOptions {
	readonly width?: number;
	readonly height?: number;
	readonly dark?: boolean;
	readonly calm?: boolean;
}

export interface PageTest {
	readonly name: string;
	readonly run: (setting: PageSetting) => Promise<void>;
}

const shownCases = groups.flatMap(({ cases }) => cases);
const READY = { timeout: 60_000 };

/** Waits until the recording that the address asks for is shown. */
async function ready(page: Page): Promise<void> {
	const { case: id, seed, latency, mishaps } = readAddress(new URL(page.url()).search);
	const wanted = [id, seed, latency, ...mishaps].join(" ");
	await page.locator(`.show[data-ready="true"][data-of="${wanted}"]`).waitFor(READY);
}

/** Chooses in a list or a field, and waits for the recording that belongs to it. */
async function choose(page: Page, field: string, value: string): Promise<void> {
	const element = page.locator(field);
	if ((await element.inputValue()) === value) return;
	if (field === "#seed") {
		await element.fill(value);
		await element.press("Tab");
	} else await element.selectOption(value);
	await page.waitForURL((url) => url.searchParams.get(field.slice(1)) === value);
	await ready(page);
}

interface Verdict {
	readonly outcome: string;
	readonly wait: number;
	readonly trace: string;
	readonly isOver: boolean;
}

async function verdict(page: Page): Promise<Verdict> {
	const element = page.locator(".verdict");
	const read = async (name: string): Promise<string> => (await element.getAttribute(`data-${name}`)) ?? "";
	const wait = await read("wait");
	return {
		outcome: await read("outcome"),
		wait: wait === "" ? NaN : Number(wait),
		trace: await read("trace"),
		isOver: (await read("over")) === "true",
	};
}

function expectSame(shown: Verdict, play: Play, what: string): void {
	assert.equal(shown.isOver, true, `${what}: not at its end`);
	assert.equal(shown.outcome, play.measured.outcome, `${what}: outcome`);
	assert.ok(Math.abs(shown.wait - play.measured.waitSeconds) < 1e-9, `${what}: ${shown.wait} s`);
	assert.equal(shown.trace, traceHash(play.timeline), `${what}: trace`);
}

async function clock(page: Page): Promise<number> {
	return Number.parseFloat(await page.locator(".clock").innerText());
}

function button(page: Page, name: string) {
	return page.getByRole("button", { name, exact: true });
}

async function toTheEnd(page: Page): Promise<void> {
	await page.locator(".timeline input").press("End");
	await page.locator('.verdict[data-over="true"]').waitFor(READY);
}

async function playToTheEnd(page: Page, speed: string): Promise<void> {
	await page.getByText(speed, { exact: true }).click();
	await button(page, "Play").click();
	await page.locator('.verdict[data-over="true"]').waitFor(READY);
}

const silent = { onProgress: () => undefined, onLog: () => undefined };

async function everyCase({ place, open, say }: PageSetting): Promise<void> {
	const story = new Map((await playStory(place, { seed: 1, ...silent })).map((played) => [played.id, played]));
	const page = await open("");
	for (const { id } of shownCases) {
		say(id);
		const played = story.get(id);
		assert.ok(played !== undefined, `the story has no case ${id}`);
		await choose(page, "#case", id);
		await choose(page, "#latency", "live");
		await playToTheEnd(page, "16×");
		expectSame(await verdict(page), played.live, `${id}, live`);
		assert.match(await page.locator(".verdict").innerText(), /and kept/);
		await choose(page, "#latency", "fast");
		await toTheEnd(page);
		expectSame(await verdict(page), played.fast, `${id}, fast`);
	}
}

async function counter({ open }: PageSetting): Promise<void> {
	for (const id of ["other-server-connected", "other-server-crashed", "other-server-stalling"]) {
		const page = await open(`?case=${id}`);
		await toTheEnd(page);
		const waited = await page.locator(".player .waited").innerText();
		// The crash comes with the join; the counter has two digits.
		assert.ok(Math.abs(Number.parseFloat(waited) - (await verdict(page)).wait) < 0.011, `${id}: ${waited}`);
		await page.close();
	}
}

async function links({ place, open }: PageSetting): Promise<void> {
	const query = "?case=other-server-save-failed&seed=42&speed=16&latency=fast";
	const page = await open(query);
	assert.equal(new URL(page.url()).search, query);
	assert.equal(await page.locator("#seed").inputValue(), "42");
	assert.equal(await page.locator('input[name="speed"]:checked').inputValue(), "16");
	await toTheEnd(page);
	const [played] = await playStory(place, { seed: 42, only: "other-server-save-failed", ...silent });
	expectSame(await verdict(page), played!.fast, "the link");
	// What is chosen goes into the address, and the address shows the same thing again.
	await choose(page, "#seed", "7");
	await page.getByText("4×", { exact: true }).click();
	await toTheEnd(page);
	const { trace } = await verdict(page);
	const link = new URL(page.url()).search;
	assert.equal(link, "?case=other-server-save-failed&seed=7&speed=4&latency=fast");
	const again = await open(link);
	await toTheEnd(again);
	assert.equal((await verdict(again)).trace, trace);
	const odd = await open("?case=none&seed=-3&speed=5&latency=slow");
	assert.equal(new URL(odd.url()).search, "?case=other-server-connected&seed=1&speed=1&latency=live");
}

async function controls({ open }: PageSetting): Promise<void> {
	const page = await open("?case=other-server-crashed");
	assert.equal(
		await page.locator('input[name="speed"]:checked').inputValue(),
		"4",
		"a crash plays four times faster",
	);
	const start = await clock(page);
	await page.locator("h1").click();
	await page.keyboard.press("Space");
	await button(page, "Pause").waitFor();
	await page.waitForTimeout(700);
	await page.keyboard.press("Space");
	await button(page, "Play").waitFor();
	const paused = await clock(page);
	assert.ok(paused > start, "it plays");
	await page.waitForTimeout(200);
	assert.equal(await clock(page), paused, "and stands still");
	await page.keyboard.press("ArrowRight");
	const stepped = await clock(page);
	assert.ok(stepped >= paused, "a step goes on");
	await button(page, "Step").click();
	await button(page, "Step").click();
	await button(page, "Step back").click();
	await button(page, "Step back").click();
	assert.equal(await clock(page), stepped, "and back");
	await button(page, "Restart").click();
	assert.equal(await clock(page), start, "restart");
	// The slider reaches any moment by keyboard; the event list goes to an event's moment.
	await page.locator(".timeline input").press("PageUp");
	assert.ok((await clock(page)) > start, "the slider moves");
	const row = page.locator(".events li button").nth(5);
	await row.click();
	assert.equal(await clock(page), Number(await row.locator(".when").innerText()));
	await page.getByLabel("with every beat").check();
	assert.ok((await page.locator(".events li").count()) > 20);
	await page.locator(".chart svg").waitFor();
	// At its start the record is S1's; at the end it is S2's and S1 has crashed.
	await page.keyboard.press("Home");
	await toTheEnd(page);
	assert.match(await page.locator('[data-record="record:PlayerData/Player_7"]').innerText(), /Lock\s+S2 [0-9a-f]{8}/);
	assert.equal(await page.locator('[data-server="S1"].server').getAttribute("data-state"), "crashed");
	assert.match(await page.locator('.beat[data-server="S1"]').innerText(), /silent/);
	await button(page, "Play").click();
	await page.waitForTimeout(100);
	assert.equal((await verdict(page)).isOver, false, "play starts over after the end");
}

async function mishaps({ open }: PageSetting): Promise<void> {
	const page = await open("?case=other-server-connected");
	const plain = await verdict(page);
	await page.keyboard.press("ArrowRight");
	for (let steps = 0; (await page.locator('.player[data-state="waiting"]').count()) === 0 || steps < 6; steps++) {
		await page.keyboard.press("ArrowRight");
		assert.ok(steps < 60, "the player waits at some step");
	}
	const at = await clock(page);
	await button(page, "Crash S1").click();
	await page.locator(".mishaps li").waitFor(READY);
	await ready(page);
	assert.equal(await clock(page), at, "it goes on where it was");
	assert.match(new URL(page.url()).search, /&mishaps=crash\.S1%40\d+\.\d+$/);
	const crashed = await verdict(page);
	assert.notEqual(crashed.trace, plain.trace);
	const again = await open(new URL(page.url()).search);
	assert.equal((await verdict(again)).trace, crashed.trace, "the link has the fault");
	await again.close();
	await button(page, "Take it back").click();
	await page.locator(".mishaps li").waitFor({ ...READY, state: "detached" });
	await ready(page);
	assert.equal((await verdict(page)).trace, plain.trace, "taken back, it is as it was");
	for (const name of ["Lose the next message", "Fail the next write", "Stop the beats of S1"]) {
		await button(page, name).click();
		await page.locator(".mishaps li").waitFor(READY);
		await ready(page);
		assert.notEqual((await verdict(page)).outcome, "", `${name}: it has an end`);
		await button(page, "Take it back").click();
		await page.locator(".mishaps li").waitFor({ ...READY, state: "detached" });
	}
	const bad = await open("?case=other-server-connected&mishaps=burn%403", {}).catch(() => undefined);
	assert.match((await bad?.locator(".problem").innerText()) ?? "", /is no mishap/);
}

async function narrow({ open }: PageSetting): Promise<void> {
	for (const id of ["other-server-crashed", "trade-interrupted-4", "transaction-mixed-stores"]) {
		const page = await open(`?case=${id}`, { width: 360, height: 740 });
		for (const place of ["Home", "End"]) {
			await page.locator(".timeline input").press(place);
			const width = await page.evaluate<number>("document.documentElement.scrollWidth");
			assert.ok(width <= 360, `${id} is ${width} px wide`);
			const box = await button(page, "Play").boundingBox();
			assert.ok(box !== null && box.x >= 0, `${id}: Play is there`);
		}
		await page.evaluate("scrollTo(0, 0)");
		const box = await button(page, "Play").boundingBox();
		assert.ok(box !== null && box.y + box.height <= 740, `${id}: Play is in view beside the stage`);
		const overflow = await page.evaluate<string>(
			`[...document.querySelectorAll("button, .player, .card, .clock")].filter((each) => each.getBoundingClientRect().right > 361).map((each) => each.className).join()`,
		);
		assert.equal(overflow, "", `${id}: nothing sticks out`);
		await page.close();
	}
}

async function preferences({ open }: PageSetting): Promise<void> {
	const background = (page: Page): Promise<string> =>
		page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
	assert.notEqual(await background(await open("")), await background(await open("", { dark: true })));
	const calm = await open("?case=same-server-saving", { calm: true });
	await playToTheEnd(calm, "1×");
	assert.equal((await verdict(calm)).outcome, "joined");
}

async function quick({ url, open, say }: PageSetting): Promise<void> {
	const started = performance.now();
	const page = await open("?case=other-server-stalling");
	const seconds = (performance.now() - started) / 1000;
	// Two seconds on a machine that does nothing else; this one may be busy.
	assert.ok(seconds < 15, `ready after ${seconds.toFixed(1)} s`);
	await page.getByText("16×", { exact: true }).click();
	const frames = page.evaluate<Array<number>>(
		`new Promise((resolve) => { const times = []; const tick = (time) => { times.push(time); if (times.length < 60) requestAnimationFrame(tick); else resolve(times); }; requestAnimationFrame(tick); })`,
	);
	await button(page, "Play").click();
	const times = await frames;
	const gaps = times.slice(1).map((time, index) => time - times[index]!);
	const median = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)]!;
	say(`ready after ${seconds.toFixed(1)} s; a frame takes ${median.toFixed(0)} ms at speed 16`);
	assert.ok(median < 60, `a frame takes ${median.toFixed(0)} ms at speed 16`);
	const origins = await page.evaluate<Array<string>>(
		`[...new Set(performance.getEntriesByType("resource").map(({ name }) => new URL(name).origin))]`,
	);
	assert.deepEqual(origins, [new URL(url).origin], "everything comes from the page's own host");
}

/** What is proved of the page, in a real Chromium. */
export const pageTests: ReadonlyArray<PageTest> = [
	{ name: "every case plays to its verdict: outcome, wait and trace are those of npm start", run: everyCase },
	{ name: "the player's counter shows the wait that was measured", run: counter },
	{ name: "a link shows the same thing: case, seed, speed, latency", run: links },
	{ name: "play, pause, step, scrub, restart and keys", run: controls },
	{ name: "faults by hand play again with that fault, and can be taken back", run: mishaps },
	{ name: "at 360 px nothing sticks out, and Play is in view", run: narrow },
	{ name: "dark and light, and little motion", run: preferences },
	{ name: "ready soon, smooth at speed 16, nothing from elsewhere", run: quick },
];
