import { parseArgs } from "node:util";
import { StepFailure, textOf } from "../lib/failure.ts";
import { note, print } from "../lib/report.ts";
import { buildPage, servePage } from "../page/build.ts";

const USAGE = `npm run try                  builds the page and serves it on this machine
npm run try -- --build       only builds it, into build/page: static files for any host
npm run try -- --port <n>    serves it on another port than 4173`;

try {
	const { values } = parseArgs({
		options: {
			build: { type: "boolean" },
			help: { type: "boolean" },
			port: { type: "string", default: "4173" },
		},
	});
	const port = Number(values.port);
	if (!Number.isInteger(port) || port < 0 || port > 65535) throw new StepFailure(`--port takes a number\n\n${USAGE}`);
	if (values.help === true) print(USAGE);
	else {
		await buildPage();
		if (values.build === true) print("The page is in build/page: any web server can serve it.");
		else print(`Open ${(await servePage(port)).url} (Ctrl+C ends it)`);
	}
} catch (error) {
	note(textOf(error));
	process.exitCode = 1;
}
