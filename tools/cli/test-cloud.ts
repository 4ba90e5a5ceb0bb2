import { runCloudSpecs } from "../cloud/cloudSpecs.ts";
import { OpenCloud } from "../cloud/openCloud.ts";
import { readTarget } from "../cloud/target.ts";
import { textOf } from "../lib/failure.ts";
import { note, print, printFailures, step } from "../lib/report.ts";
import { makeTestPlace } from "../lib/testPlace.ts";

/** Tasks at once: each may run for 5 minutes, and Roblox takes 10 for a place. */
const TASKS = 8;

// `npm run test:cloud` runs the specs on real Roblox servers; `npm run test:cloud -- <words>` those whose path holds all of
// the words, in one task.
try {
	const target = readTarget(process.env);
	const words = process.argv.slice(2);
	const place = await makeTestPlace();
	const cloud = new OpenCloud(target);
	const version = await step("upload", () => cloud.upload(place, "Saved"));
	const { passed, failures } = await step("specs on Roblox", (progress) =>
		runCloudSpecs(cloud, version, words, words.length > 0 ? 1 : TASKS, progress),
	);
	printFailures(failures);
	print(`${passed} passed, ${failures.length} failed`);
	if (failures.length > 0) process.exitCode = 1;
} catch (error) {
	note(textOf(error));
	process.exitCode = 1;
}
