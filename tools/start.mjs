// Starts one of the commands (`node tools/start.mjs test record`) on a clone that may be fresh: plain JavaScript without
// dependencies, which installs the packages when they are missing or differ from the lockfile.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [command, ...rest] = process.argv.slice(2);

function packagesOf(path) {
	return JSON.parse(readFileSync(path, "utf8")).packages;
}

/** The first package that is not installed as the lockfile wants it, or undefined. */
function missingPackage() {
	const installedPath = join(root, "node_modules", ".package-lock.json");
	if (!existsSync(installedPath)) return "node_modules";
	const installed = packagesOf(installedPath);
	for (const [path, wanted] of Object.entries(packagesOf(join(root, "package-lock.json")))) {
		if (path === "" || wanted.link) continue;
		const found = installed[path];
		if (found === undefined ? !wanted.optional : found.version !== wanted.version) return path;
	}
	return undefined;
}

function npm(args) {
	// npm tells its scripts where it is; without it (`node tools/start.mjs`), the shell finds it.
	const path = process.env.npm_execpath;
	const options = { cwd: root, stdio: ["ignore", 2, 2] };
	return path !== undefined && /\.c?js$/.test(path)
		? spawnSync(process.execPath, [path, ...args], options)
		: spawnSync("npm", args, { ...options, shell: process.platform === "win32" });
}

const missing = missingPackage();
if (missing !== undefined) {
	process.stderr.write(`Installing packages (${missing} is missing or out of date)...\n`);
	const installed = npm(["ci", "--no-audit", "--no-fund"]);
	if (installed.status !== 0) {
		process.stderr.write("npm ci failed: see above.\n");
		process.exit(1);
	}
}
const program = join(root, "tools", "cli", `${command}.ts`);
const result = spawnSync(process.execPath, ["--import", "tsx", program, ...rest], { cwd: root, stdio: "inherit" });
if (result.error !== undefined) process.stderr.write(`${result.error.message}\n`);
process.exit(result.status ?? 1);
