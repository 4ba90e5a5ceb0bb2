import TestEZ from "@rbxts/testez";

/** The parts of TestEZ that are used, as they are at run time. */
interface PlanNode {
	readonly type: string;
	readonly modifier: string;
	getFullName(): string;
}

interface Plan {
	visitAllNodes(visit: (node: PlanNode) => void): void;
}

interface ResultNode {
	readonly planNode: PlanNode & { readonly phrase: string };
	readonly status: string;
	readonly errors: Array<string>;
}

interface Results {
	visitAllNodes(visit: (node: ResultNode) => void): void;
}

interface TestEngine {
	readonly TestPlanner: {
		readonly createPlan: (
			modules: Array<{ method: () => void; path: Array<string>; pathStringForSorting: string }>,
		) => Plan;
	};
	readonly TestRunner: { readonly runPlan: (plan: Plan) => Results };
}

const engine = TestEZ as unknown as TestEngine;

/** Real seconds that one spec module may take. */
const LIMIT_SECONDS = 120;

/** How many failures a summary tells in full, and how long each may be, in bytes. */
const [TOLD, TOLD_BYTES] = [50, 2000];

class Summary {
	public passed = 0;
	public failed = 0;
	/** What failed, and why. */
	public readonly failures = new Array<string>();

	public fail(module: Instance, name: string, message: string): void {
		this.failed += 1;
		const text = `${name}\n  ${module.GetFullName()}\n  ${message}`;
		print(`✖ ${text}`);
		if (this.failures.size() < TOLD) this.failures.push(text.sub(1, TOLD_BYTES));
	}
}

/** Which spec modules to run. */
export interface Selection {
	/** Parts of the path, in lower case, that all have to be there. */
	readonly words: ReadonlyArray<string>;
	/** Every `parts`th of them, from the `part`th on, counted from 1. */
	readonly part: number;
	readonly parts: number;
}

function isSelected(module: Instance, words: ReadonlyArray<string>): boolean {
	const path = module.GetFullName().lower().gsub("%.", "/")[0];
	return words.every((word) => path.find(word, 1, true)[0] !== undefined);
}

function runModule(module: ModuleScript, summary: Summary): void {
	const title = module.Name.gsub("%.spec$", "")[0];
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- a module that is found at run time
	const [loaded, method] = pcall(() => require(module) as () => void);
	if (!loaded) return summary.fail(module, `${title} (loading the module)`, tostring(method));
	if (!typeIs(method, "function")) return summary.fail(module, title, "a spec module must export one function");
	const plan = engine.TestPlanner.createPlan([{ method, path: [title], pathStringForSorting: title }]);
	plan.visitAllNodes((node) => {
		if (node.modifier !== "Focus") return;
		summary.fail(module, node.getFullName(), "focused: a focused spec hides all the others");
	});
	engine.TestRunner.runPlan(plan).visitAllNodes(({ planNode, status, errors }) => {
		if (planNode.type === "It" && status === "Success") summary.passed += 1;
		if (errors.size() === 0) return;
		// What a failed hook is reported as has no full name.
		const [named, name] = pcall(() => planNode.getFullName());
		summary.fail(module, named ? name : `${title} ${planNode.phrase}`, errors.join("\n"));
	});
}

/** Runs one module in a thread of its own, and gives up on it after a while. */
function runWithLimit(module: ModuleScript, summary: Summary): void {
	let isOver = false;
	const began = os.clock();
	task.spawn(() => {
		const [success, message] = pcall(() => runModule(module, summary));
		if (!success) summary.fail(module, module.Name, tostring(message));
		isOver = true;
	});
	while (!isOver) {
		if (os.clock() - began > LIMIT_SECONDS) {
			return summary.fail(module, module.Name, `it has not ended within ${LIMIT_SECONDS} s`);
		}
		task.wait();
	}
}

/**
 * Runs the spec modules below `root`, each alone, prints each failure and `N passed, N failed`, and returns what it has
 * counted. Yields.
 */
export function runSpecs(
	root: Instance,
	{ words, part, parts }: Selection = { words: [], part: 1, parts: 1 },
): { readonly passed: number; readonly failed: number; readonly failures: ReadonlyArray<string> } {
	const found = root
		.GetDescendants()
		.filter((each): each is ModuleScript => each.IsA("ModuleScript") && each.Name.match("%.spec$").size() > 0);
	found.sort((a, b) => a.GetFullName() < b.GetFullName());
	const modules = found
		.filter((module) => isSelected(module, words))
		.filter((_, index) => index % parts === part - 1);
	const summary = new Summary();
	let current: ModuleScript | undefined;
	const watching = game.GetService("ScriptContext").Error.Connect((message) => {
		if (current !== undefined) summary.fail(current, "an error in a thread that a spec started", message);
	});
	for (const module of modules) {
		current = module;
		runWithLimit(module, summary);
	}
	// Errors of threads are told a moment later.
	task.wait();
	watching.Disconnect();
	if (summary.passed === 0 && summary.failed === 0) {
		summary.failed += 1;
		print("✖ no spec ran");
	}
	print(`${summary.passed} passed, ${summary.failed} failed`);
	const { passed, failed, failures } = summary;
	return { passed, failed, failures };
}
