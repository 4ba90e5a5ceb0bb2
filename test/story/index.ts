import { foundationCases } from "./foundation";
import { handoffCases } from "./handoff";
import { StoryCase } from "./story";
import { tradeCases } from "./trade";
import { transactionCases } from "./transaction";

/** Every case of the story, in the order of telling. */
export const cases: ReadonlyArray<StoryCase> = [
	...foundationCases,
	...handoffCases,
	...tradeCases,
	...transactionCases,
];
