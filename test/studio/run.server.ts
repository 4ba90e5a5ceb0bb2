import { runSpecs } from "./specs";

// On Play in Studio: runs the specs that `npm test` runs, and prints the same summary.
runSpecs(script.Parent!.Parent!);
