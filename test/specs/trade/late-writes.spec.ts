import { Fault } from "../../cloud/faults";
import { FOLLOWS, settle, Traders, withTraders } from "./traders";
import { WRITES } from "./writes";

/**
 * Seconds after which a write lands: between the trade's next rounds, after its end, after the next save, the release,
 * the next load, its save and its release.
 */
const LANDS_AFTER = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.6, 1.5, 3, 5, 8, 20];

/** The trade, and a save of both after it. */
function life(traders: Traders, faults: (traders: Traders) => void): void {
	const { world, host } = traders;
	const began = world.now();
	const at = (seconds: number) => world.wait(math.max(0, began + seconds - world.now()));
	faults(traders);
	traders.start();
	traders.answered();
	at(1);
	host.server.run(() => host.driver.saveAll());
	at(2);
}

/** Afterwards both are loaded, twice, and nothing that landed meanwhile has changed a thing. */
function check(
	where: Pick<Fault, "op" | "key" | "nth">,
	effect: "landLate" | "duplicate" | "both",
	seconds: number,
): void {
	withTraders((traders, fresh, world) => {
		life(traders, () => {
			if (effect !== "both") {
				traders.fault({ ...where, durableOnly: true, count: 1, effect, seconds });
				return;
			}
			// The first try lands late, and so does the next one, which finds what the first one left.
			traders.fault({ ...where, durableOnly: true, count: 1, effect: "landLate", seconds });
			traders.fault({ ...where, durableOnly: true, count: 1, effect: "landLate", seconds: seconds + 0.1 });
		});
		settle(traders, fresh, 2);
		FOLLOWS[0].run(traders, fresh);
		world.wait(2);
		settle(traders, fresh, 4);
		FOLLOWS[1].run(traders, [fresh[1]]);
		settle(traders, fresh, 30);
		// What lands after the journal is gone may make it anew: a create that nobody points at.
		const outcome = traders.audit(undefined, where.nth === 1 && where.key === undefined);
		traders.checkAnswer(outcome);
	});
}

// Protocol section 8: every write of a trade lands late, once and twice, at every later step.
export = () => {
	for (const { title, where } of WRITES) {
		for (const [effect, how] of [
			["landLate", "lands late, after its caller heard an error"],
			["duplicate", "lands a second time"],
			["both", "lands late, and its second try too"],
		] as const) {
			describe(`section 8: ${title} ${how}`, () => {
				for (const seconds of LANDS_AFTER) it(`${seconds} s later`, () => check(where, effect, seconds));
			});
		}
	}
};
