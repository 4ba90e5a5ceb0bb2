import { StepFailure } from "../lib/failure.ts";

/** Which place of whose experience, and with which key. */
export interface CloudTarget {
	/** Where Open Cloud is. */
	readonly url: string;
	readonly key: string;
	readonly universe: string;
	readonly place: string;
}

const ROBLOX = "https://apis.roblox.com";

const VARIABLES = {
	ROBLOX_OPEN_CLOUD_API_KEY: "an Open Cloud API key, made in the Creator Dashboard",
	ROBLOX_UNIVERSE_ID: "the id of the experience",
	ROBLOX_PLACE_ID: "the id of the place that is written over: use one that is for nothing else",
};

/** Reads the target from the environment. Throws what is missing or no good; the key itself is never shown. */
export function readTarget(env: NodeJS.ProcessEnv): CloudTarget {
	const missing = Object.entries(VARIABLES).filter(([name]) => (env[name] ?? "") === "");
	if (missing.length > 0) {
		const lines = missing.map(([name, what]) => `  ${name}: ${what}`);
		throw new StepFailure(`Nothing was sent to Roblox. Set in the environment:\n${lines.join("\n")}`);
	}
	const url = env.ROBLOX_OPEN_CLOUD_URL ?? ROBLOX;
	if (url !== ROBLOX && !/^http:\/\/127\.0\.0\.1:\d+$/.test(url)) {
		throw new StepFailure(
			`ROBLOX_OPEN_CLOUD_URL is for tests on this machine: http://127.0.0.1:<port>, not ${url}`,
		);
	}
	const universe = env.ROBLOX_UNIVERSE_ID!;
	const place = env.ROBLOX_PLACE_ID!;
	for (const [name, id] of Object.entries({ ROBLOX_UNIVERSE_ID: universe, ROBLOX_PLACE_ID: place })) {
		if (!/^[1-9]\d*$/.test(id)) throw new StepFailure(`${name} must be a number, not "${id}". Nothing was sent.`);
	}
	return { url, key: env.ROBLOX_OPEN_CLOUD_API_KEY!, universe, place };
}
