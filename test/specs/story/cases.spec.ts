import { latencyProfiles } from "../../cloud/latency";
import { cases } from "../../story/index";

// Every row of the story keeps its promise in both latency profiles.
export = () => {
	for (const story of cases) {
		describe(`${story.group} ${story.id}`, () => {
			for (const profile of ["fast", "live"] as const) {
				it(`keeps its promise, ${profile}`, () => {
					expect(latencyProfiles[profile]).to.be.ok();
					const { measured, timeline } = story.run(profile, 1);
					const {
						outcome,
						minSeconds = 0,
						maxSeconds: most = math.huge,
						fastMaxSeconds = most,
					} = story.promised;
					const maxSeconds = profile === "fast" ? fastMaxSeconds : most;
					const { waitSeconds } = measured;
					if (measured.outcome === outcome && waitSeconds >= minSeconds && waitSeconds <= maxSeconds) return;
					const lines = timeline.map(({ at, text }) => `${string.format("%.2f", at)} ${text}`).join("\n");
					error(`${measured.outcome} after ${waitSeconds} s, promised ${outcome}\n${lines}`);
				});
			}
		});
	}
};
