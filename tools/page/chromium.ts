import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { StepFailure } from "../lib/failure.ts";

const HELP = `No Chromium was found. Install one, or name it in CHROMIUM_PATH:
  Debian, Ubuntu   apt-get install chromium
  macOS            brew install --cask chromium
  Windows          winget install Hibbiki.Chromium
Google Chrome and Microsoft Edge will do as well.`;

function usualPlaces(): Array<string> {
	if (process.platform === "darwin") {
		return ["Chromium", "Google Chrome", "Microsoft Edge"].map(
			(name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
		);
	}
	if (process.platform === "win32") {
		const roots = [process.env.PROGRAMFILES, process.env["PROGRAMFILES(X86)"], process.env.LOCALAPPDATA];
		const programs = [
			"Chromium/Application/chrome.exe",
			"Google/Chrome/Application/chrome.exe",
			"Microsoft/Edge/Application/msedge.exe",
		];
		return roots.flatMap((root) => (root === undefined ? [] : programs.map((program) => join(root, program))));
	}
	const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge"];
	return (process.env.PATH ?? "").split(":").flatMap((folder) => names.map((name) => join(folder, name)));
}

/** The Chromium of this machine: the one of CHROMIUM_PATH, or one in the usual places. Throws with how to get one. */
export function findChromium(): string {
	const named = process.env.CHROMIUM_PATH;
	if (named !== undefined && named !== "") {
		if (!existsSync(named)) throw new StepFailure(`CHROMIUM_PATH names ${named}, which is not there.\n${HELP}`);
		return named;
	}
	const found = usualPlaces().find((place) => existsSync(place));
	if (found === undefined) throw new StepFailure(HELP);
	return found;
}

/** Starts it without a window, with an empty profile, asking nothing of the network but what a page asks. */
export function startChromium(): Promise<Browser> {
	return chromium.launch({
		executablePath: findChromium(),
		args: [
			"--no-sandbox",
			"--disable-gpu",
			"--disable-quic",
			"--no-first-run",
			"--disable-background-networking",
			"--disable-component-update",
			"--disable-sync",
		],
	});
}
