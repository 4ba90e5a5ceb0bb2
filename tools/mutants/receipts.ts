import type { Mutant } from "../mutate/mutant.ts";

const grant = "src/receipts/grant.ts";
const receipts = "src/receipts/receipts.ts";

/** Faults of purchases: granted twice, or said to be granted when they are not. */
export const purchases: ReadonlyArray<Mutant> = [
	{
		name: "a purchase that was granted is granted again",
		rule: "I10",
		file: grant,
		find: "if (profile.tradeIds.includes(id)) return ok(true);",
		replace: "",
		hint: ["receipts"],
	},
	{
		name: "a purchase that changes nothing leaves no id",
		rule: "I10",
		file: grant,
		find: "isStamped: true",
		replace: "isStamped: false",
		hint: ["receipts"],
	},
	{
		name: "data of a purchase are not checked",
		rule: "prior fault: such a value never enters the profile",
		file: grant,
		find: "if (!admitted.success) return admitted;",
		replace: "if (!admitted.success) return ok(true);",
		hint: ["receipts"],
	},
	{
		name: "a purchase without an answer counts as granted",
		rule: "I4, I5",
		file: grant,
		find: "return ran.success ? ok(true) : ran;",
		replace: 'return ran.success || ran.error.type === "tx_unknown" ? ok(true) : ran;',
		hint: ["receipts"],
	},
	{
		name: "a failed purchase counts as granted",
		rule: "I4",
		file: receipts,
		find: "if (fine && result.success) return",
		replace: 'if (fine && (result.success || result.error.type !== "player_left")) return',
		hint: ["receipts"],
	},
	{
		name: "a purchase does not wait for a trade",
		rule: "5.2",
		file: receipts,
		find: "if (!isBusy || platform.clock() >= deadline) return granted;",
		replace: "if (platform.clock() < math.huge) return granted;",
		also: [{ file: receipts, find: "\t\tprofile.hold()?.wait(deadline - platform.clock());\n", replace: "" }],
		hint: ["receipts"],
	},
	{
		name: "a purchase waits for a trade without end",
		rule: "I13",
		file: receipts,
		find: "profile.hold()?.wait(deadline - platform.clock());",
		replace: "profile.hold()?.wait();",
		hint: ["receipts"],
	},
	{
		name: "a purchase waits for the profile without end",
		rule: "I13",
		file: receipts,
		find: "const answer = loaded.wait(WAIT_SECONDS);",
		replace: "const answer = loaded.wait();",
		hint: ["receipts"],
	},
];
