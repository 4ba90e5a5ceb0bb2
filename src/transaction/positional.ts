import { Backend } from "../backend/backend";
import { DeepReadonly } from "../record/deepReadonly";
import { Result } from "../result";
import { TransactionConfig } from "./config";
import { Transactable } from "./context";
import { transaction } from "./transaction";

/**
 * A transaction whose function gets the data by position, and returns all next ones, or false to cancel. All profiles are
 * to be of the driver with this backend; throws where one is not. Yields. Errors: those of `transaction`.
 */
export function positional<T extends object>(
	profiles: ReadonlyArray<Transactable<T>>,
	change: (data: ReadonlyArray<DeepReadonly<T>>) => ReadonlyArray<DeepReadonly<T> | T> | false,
	config: TransactionConfig | undefined,
	backend: Backend,
): Result<boolean> {
	if (!typeIs(change, "function"))
		error("Baton: driver.transaction takes a function from all data to all next ones", 3);
	for (const profile of typeIs(profiles, "table") ? profiles : []) {
		const home = (profile as { home?: { backend?: Backend } }).home;
		if (home?.backend !== backend) {
			error("Baton: driver.transaction takes profiles of this driver; use transaction for others", 3);
		}
	}
	return transaction(
		profiles,
		(ctx) => {
			const nexts = change(profiles.map((profile) => ctx.get(profile)));
			if (nexts === false) return false;
			if (!typeIs(nexts, "table") || nexts.size() !== profiles.size()) {
				error(`Baton: the function of driver.transaction returns ${profiles.size()} data, or false`, 0);
			}
			profiles.forEach((profile, index) => ctx.set(profile, nexts[index]));
		},
		config,
	);
}
