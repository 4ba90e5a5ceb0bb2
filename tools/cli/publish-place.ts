import { OpenCloud } from "../cloud/openCloud.ts";
import { readTarget } from "../cloud/target.ts";
import { makeExamplePlace } from "../lib/example.ts";
import { textOf } from "../lib/failure.ts";
import { note, print, step } from "../lib/report.ts";

// `npm run publish-place` builds the example game's place and gives it to players; with `-- --saved`, to its developers.
try {
	const target = readTarget(process.env);
	const versionType = process.argv.includes("--saved") ? "Saved" : "Published";
	const place = await makeExamplePlace();
	const version = await step("upload", () => new OpenCloud(target).upload(place, versionType));
	print(`Place ${target.place} has version ${version} (${versionType}). docs/live-check.md tells what to try there.`);
} catch (error) {
	note(textOf(error));
	process.exitCode = 1;
}
