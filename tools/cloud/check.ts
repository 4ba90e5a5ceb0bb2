import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTask } from "../host/runTask.ts";
import { runCloudSpecs } from "./cloudSpecs.ts";
import { startDouble } from "./double.ts";
import { OpenCloud } from "./openCloud.ts";

/** Few and quick ones: what is shown is the way there and back. */
const WORDS = ["specs/record"];

/**
 * Runs specs of the test place by way of the double of Open Cloud, which runs the tasks' script in real Luau over the very
 * bytes that were uploaded.
 */
export async function checkCloudRun(testPlace: string): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "baton-cloud-"));
	const target = { key: "a key", universe: "1", place: "2" };
	const double = await startDouble({
		...target,
		runTask: ({ body }, script) => {
			const place = join(folder, "uploaded.rbxlx");
			writeFileSync(place, body);
			return runTask(place, script);
		},
	});
	try {
		const cloud = new OpenCloud({ url: double.url, ...target }, 0.02);
		const version = await cloud.upload(testPlace, "Saved");
		const { passed, failures } = await runCloudSpecs(cloud, version, WORDS, 2, () => undefined);
		const [failure] = failures;
		if (failure !== undefined) throw new Error(`${failure.name}: ${failure.message}\n${failure.trace}`);
		if (passed < 50) throw new Error(`only ${passed} specs have run`);
	} finally {
		double.close();
		rmSync(folder, { recursive: true, force: true });
	}
}
