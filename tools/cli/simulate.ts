import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import type { OrdersReport, SeedReport } from "../host/protocol.ts";
import { textOf } from "../lib/failure.ts";
import { note, print, step } from "../lib/report.ts";
import { makeTestPlace } from "../lib/testPlace.ts";
import { search } from "../simulate/play.ts";
import { playOrders, type OrdersOptions } from "../simulate/playOrders.ts";
import { failureText, neverReached, searchText } from "../simulate/show.ts";
import { orderFailureText, ordersText } from "../simulate/showOrders.ts";

const USAGE = `npm run simulate                    plays random games on the emulated cloud for 60 s, on every core
npm run simulate -- --seconds <s>   for so long; --first <n>: from this seed on
npm run simulate -- --seed <n>      plays one seed; --trace prints everything that crosses the cloud
npm run simulate -- --small [case]  plays small cases in every order of arrive, apply and respond that differs from the
                                    plain one in at most 2 decisions; --depth <n>: in so many
npm run simulate -- --small <case> --order <order>
                                    plays one order of it, as a failure prints it, or "plain"; --trace as above`;

/** A search of so many games has to come by every rare state. */
const LONG_SEARCH = 3000;

class UsageError extends Error {}

function readArguments() {
	try {
		const { values, positionals } = parseArgs({
			allowPositionals: true,
			options: {
				seconds: { type: "string", default: "60" },
				first: { type: "string", default: "1" },
				seed: { type: "string" },
				small: { type: "boolean" },
				depth: { type: "string", default: "2" },
				order: { type: "string" },
				trace: { type: "boolean" },
				help: { type: "boolean" },
			},
		});
		const numbers = {
			seconds: Number(values.seconds),
			first: Number(values.first),
			seed: Number(values.seed ?? 1),
			depth: Number(values.depth),
		};
		for (const [name, value] of Object.entries(numbers)) {
			if (!Number.isFinite(value)) throw new UsageError(`--${name} takes a number`);
		}
		const [only, ...others] = positionals;
		if (only !== undefined && (values.small !== true || others.length > 0))
			throw new UsageError(`"${others[0] ?? only}" is one argument too many`);
		if (values.order !== undefined && only === undefined) throw new UsageError("--order is of one small case");
		return { ...values, ...numbers, only, isSingle: values.seed !== undefined };
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}

async function playSmall(
	place: string,
	options: Pick<OrdersOptions, "depth" | "only" | "order" | "trace">,
): Promise<boolean> {
	const reports: Array<OrdersReport> = [];
	await step("orders", (progress) =>
		playOrders(place, {
			...options,
			workers: options.order !== undefined ? 1 : availableParallelism(),
			onReport: (report) => {
				reports.push(report);
				progress(`${reports.reduce((all, { orders }) => all + orders, 0)} orders`);
				if (report.failure !== undefined) print(orderFailureText(report));
			},
			onLog: print,
		}),
	);
	const hasFailed = reports.some(({ failure }) => failure !== undefined);
	if (options.order === undefined) print(ordersText(reports, options.depth));
	else if (!hasFailed) print(`order ${options.order} of ${options.only} keeps every rule`);
	return !hasFailed;
}

async function main(): Promise<boolean> {
	const { seconds, first, seed, isSingle, small, trace, help, ...orders } = readArguments();
	if (help === true) {
		print(USAGE);
		return true;
	}
	const place = await makeTestPlace();
	if (small === true) return playSmall(place, { ...orders, trace });
	const until = performance.now() + seconds * 1000;
	let next = isSingle ? seed : first;
	const reports: Array<SeedReport> = [];
	const rareStates = await step("simulate", (progress) =>
		search(place, {
			workers: isSingle ? 1 : availableParallelism(),
			next: () => {
				const isOver = isSingle ? next > seed : performance.now() >= until;
				return isOver ? undefined : next++;
			},
			shrinkSeconds: 60,
			hash: isSingle,
			trace,
			onReport: (report) => {
				reports.push(report);
				progress(`${reports.length} seeds`);
				if (report.failure !== undefined) print(failureText(report));
			},
			onLog: print,
		}),
	);
	const hasFailed = reports.some(({ failure }) => failure !== undefined);
	if (isSingle) {
		if (!hasFailed) print(`seed ${seed} keeps every rule. Trace hash ${reports[0]?.hash}`);
		return !hasFailed;
	}
	print(searchText(reports, rareStates));
	const missed = neverReached(reports, rareStates);
	if (missed.length > 0) print(`Never reached: ${missed.join("; ")}`);
	return !hasFailed && (missed.length === 0 || reports.length < LONG_SEARCH);
}

try {
	if (!(await main())) process.exitCode = 1;
} catch (error) {
	note(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : textOf(error));
	process.exitCode = 1;
}
