import { foundationCases } from "./foundation";
import { handoffCases } from "./handoff";
import { StoryCase } from "./story";
import { tradeCases } from "./trade";

/** Every case of the story, in the order of telling. */
export const cases: ReadonlyArray<StoryCase> = [...foundationCases, ...handoffCases, ...tradeCases];
