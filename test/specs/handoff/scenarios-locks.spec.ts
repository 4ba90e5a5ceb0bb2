import { LOCK_SCENARIOS } from "./scenarios";
import { PROFILES } from "./servers";

export = () => {
	for (const profile of PROFILES) {
		describe(`locks, in the profile ${profile}`, () => {
			for (const { number, title, run } of LOCK_SCENARIOS) {
				it(`scenario ${number}: ${title}`, () => run({ profile }));
			}
		});
	}
};
