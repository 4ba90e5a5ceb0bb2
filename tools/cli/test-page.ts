import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { textOf } from "../lib/failure.ts";
import { type Failure, note, print, printFailures, step } from "../lib/report.ts";
import { fromRoot } from "../lib/root.ts";
import { buildPage, servePage } from "../page/build.ts";
import { findChromium, startChromium } from "../page/chromium.ts";
import { type OpenOptions, type PageSetting, pageTests } from "../page/pageTests.ts";

/** Pictures of the page, for people. */
const PICTURES: ReadonlyArray<readonly [name: string, query: string, options: OpenOptions]> = [
	["wide", "?case=other-server-crashed", {}],
	["wide-dark", "?case=trade-interrupted-3", { dark: true }],
	["narrow", "?case=transaction-mixed-stores", { width: 360, height: 740 }],
	["narrow-dark", "?case=other-server-connected", { width: 360, height: 740, dark: true }],
];

async function openIn(browser: Browser, url: string, options: OpenOptions, problems: Array<string>): Promise<Page> {
	const page = await browser.newPage({
		viewport: { width: options.width ?? 1200, height: options.height ?? 900 },
		colorScheme: options.dark === true ? "dark" : "light",
		reducedMotion: options.calm === true ? "reduce" : "no-preference",
	});
	page.on("pageerror", (error) => problems.push(error.message));
	page.on("console", (message) => {
		if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
	});
	await page.goto(url);
	await page.locator('.show[data-ready="true"], .problem').first().waitFor({ timeout: 60_000 });
	return page;
}

async function takePictures(browser: Browser, url: string): Promise<string> {
	const folder = fromRoot("build", "page-pictures");
	mkdirSync(folder, { recursive: true });
	for (const [name, query, options] of PICTURES) {
		const page = await openIn(browser, url + query, options, []);
		await page.locator(".chart svg").waitFor();
		for (let steps = 0; steps < 14; steps++) await page.keyboard.press("ArrowRight");
		await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
		await page.locator(".timeline input").press("End");
		await page.screenshot({ path: join(folder, `${name}-end.png`), fullPage: true });
		await page.close();
	}
	return folder;
}

async function main(): Promise<boolean> {
	findChromium();
	const place = await buildPage();
	const server = await servePage(0);
	const browser = await startChromium();
	const failures: Array<Failure> = [];
	const word = process.argv[2]?.toLowerCase() ?? "";
	const chosen = pageTests.filter(({ name }) => name.toLowerCase().includes(word));
	try {
		for (const { name, run } of chosen) {
			const problems: Array<string> = [];
			const pages: Array<Page> = [];
			try {
				await step(name, async (progress) => {
					const setting: PageSetting = {
						url: server.url,
						place,
						open: async (query, options = {}) => {
							const page = await openIn(browser, server.url + query, options, problems);
							pages.push(page);
							return page;
						},
						say: (text) => {
							progress(text);
							if (!process.stderr.isTTY && text.includes(" ")) note(`  ${text}`);
						},
					};
					await run(setting);
					if (problems.length > 0) throw new Error(`the page complains: ${problems.join("\n")}`);
				});
			} catch (error) {
				failures.push({ path: "", name, message: textOf(error), trace: "" });
			}
			for (const page of pages) await page.close();
		}
		if (word === "") note(`pictures are in ${await takePictures(browser, server.url)}`);
	} finally {
		await browser.close();
		await server.close();
	}
	printFailures(failures);
	print(`${chosen.length - failures.length} passed, ${failures.length} failed`);
	return chosen.length > 0 && failures.length === 0;
}

try {
	if (!(await main())) process.exitCode = 1;
} catch (error) {
	note(textOf(error));
	process.exitCode = 1;
}
