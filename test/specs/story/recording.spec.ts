import { describeCall } from "../../cloud/trace";
import { cases } from "../../story/index";
import { readMishaps } from "../../story/mishaps";
import { Recording, StoryCase } from "../../story/story";

function caseOf(id: string): StoryCase {
	return cases.find((story) => story.id === id)!;
}

function textOf({ timeline }: { readonly timeline: Recording["timeline"] }, before = math.huge): string {
	const earlier = timeline.filter(({ at }) => at < before);
	return earlier.map(({ at, server, text }) => `${at} ${server} ${text}`).join("\n");
}

/** The calls that were over before `at`: what a mishap from then on must leave as they were. */
function overBefore({ calls }: Recording, at: number): string {
	return calls
		.filter(({ answeredAt }) => answeredAt !== undefined && answeredAt < at)
		.map((call) => describeCall(call))
		.join("\n");
}

// The page shows recordings of the story's cases: each must be the very run that the story plays.
export = () => {
	for (const id of [
		"same-server-saving",
		"other-server-crashed",
		"trade-interrupted-4",
		"transaction-mixed-stores",
	]) {
		it(`a recording of ${id} is the same run as the story's, and ends with what is stored`, () => {
			const story = caseOf(id);
			const played = story.run("live", 3);
			const recording = story.record("live", 3, "");
			expect(textOf(recording)).to.equal(textOf(played));
			expect(recording.measured!.outcome).to.equal(played.measured.outcome);
			expect(recording.measured!.waitSeconds).to.equal(played.measured.waitSeconds);
			expect(recording.failure).never.to.be.ok();
			const written = recording.calls.filter(({ service, wrote }) => service === "DataStore" && wrote);
			expect(recording.changes.size()).to.equal(written.size());
			written.sort((a, b) => a.appliedAt! < b.appliedAt!);
			recording.changes.forEach(({ at, key }, index) => {
				expect(at).to.equal(written[index].appliedAt);
				expect(key).to.equal(written[index].key);
			});
		});
	}

	it("a delivery names the call that published it, and the message can be read", () => {
		const { calls, servers } = caseOf("other-server-connected").record("fast", 1, "");
		const delivered = calls.filter(({ op }) => op === "Deliver");
		expect(delivered.size() >= 2).to.equal(true);
		for (const { published, store } of delivered) {
			const call = calls.find(({ id }) => id === published)!;
			expect(call.op).to.equal("PublishAsync");
			expect(call.store).to.equal(store);
			expect(servers.some(({ topic }) => topic === store)).to.equal(true);
			expect(call.message!.find(`"Player_7"`, 1, true)[0] !== undefined).to.equal(true);
		}
	});

	it("a mishap leaves what came before it as it was, and hits what comes next", () => {
		const story = caseOf("other-server-connected");
		const plain = story.record("fast", 1, "");
		const at = plain.since! + 0.01;
		for (const mishap of [`lose@${at}`, `fail@${at}`, `crash.S1@${at}`]) {
			const recording = story.record("fast", 1, mishap);
			expect(overBefore(recording, at)).to.equal(overBefore(plain, at));
			expect(recording.mishaps[0].hits).to.equal(1);
			expect(textOf(recording)).never.to.equal(textOf(plain));
		}
		const crashed = story.record("fast", 1, `crash.S1@${at}`);
		// The seed: a crashed server's lock is taken after about 10 to 15 s.
		expect(crashed.measured!.waitSeconds > 9).to.equal(true);
	});

	it("a server whose beats stop while it lives keeps a lock that it can still answer for", () => {
		const story = caseOf("other-server-connected");
		const { since } = story.record("fast", 1, "");
		const recording = story.record("fast", 1, `silence.S1@${since! - 8}`);
		expect(recording.mishaps[0].hits > 0).to.equal(true);
		expect(recording.measured!.outcome).to.equal("joined");
	});

	it("a case that cannot go on with its mishap is recorded up to there, with the reason", () => {
		const story = caseOf("other-server-connected");
		const { since } = story.record("fast", 1, "");
		const recording = story.record("fast", 1, `crash.S2@${since! + 0.01}`);
		expect(recording.measured).never.to.be.ok();
		expect(recording.failure!.find("did not come true", 1, true)[0] !== undefined).to.equal(true);
		expect(recording.timeline.some(({ server, text }) => server === "S2" && text === "crash")).to.equal(true);
	});

	it("what is no mishap is refused with what can be written", () => {
		for (const text of ["lose", "crash@3", "lose.S1@3", "burn@3", "crash.S1@", "lose@1,"]) {
			const [success, message] = pcall(() => readMishaps(text));
			expect(success).to.equal(false);
			expect(tostring(message).find("is no mishap", 1, true)[0] !== undefined).to.equal(true);
		}
		expect(readMishaps("").size()).to.equal(0);
		expect(readMishaps("lose@21.5,crash.S1@22")[1].server).to.equal("S1");
	});
};
