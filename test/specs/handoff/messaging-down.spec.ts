import { Fault } from "../../cloud/faults";
import { play, PlayerGame } from "../driver/playerGame";
import { settledPair, warned } from "./fleet";

const PAIR = { driver: { name: "Pair" } };
const DEAF = "cannot hear requests";
const MUTE = "cannot ask others for locks";

// Lock handoff: subscribe or publish failing, MessagingService hanging in SubscribeAsync.
export = () => {
	describe("SubscribeAsync that fails or hangs", () => {
		for (const effect of ["failBefore", "hang", "throttle", "loseAnswer"] as const) {
			it(`(${effect}) blocks neither attach nor a join, warns once, and joins poll`, () => {
				play((_, world) => {
					const fault: Fault = { service: "Messaging", op: "SubscribeAsync", effect };
					world.faults.add(fault);
					const booted = world.now();
					const first = new PlayerGame(world, PAIR);
					const second = new PlayerGame(world, PAIR);
					expect(world.now()).to.equal(booted);
					const { player } = first.join(7);
					expect(world.now() - booted < 0.2).to.equal(true);
					world.wait(60);
					for (const each of [first, second]) expect(warned(each, DEAF)).to.equal(1);
					// Nobody hears the request; the player leaves 3 s later.
					const since = world.now();
					const back = second.server.join(7);
					world.wait(3);
					first.server.leave(player);
					second.profile(back);
					expect(world.now() - since < 5.3).to.equal(true);
					for (const each of [first, second]) expect(warned(each, "Baton")).to.equal(1);
				});
			});
		}

		it("is tried on: a server that was deaf at its start hears requests once the service is back, with no second warning", () => {
			play((_, world) => {
				const outage = world.faults.add({ service: "Messaging", op: "SubscribeAsync", effect: "failBefore" });
				const [first, second] = settledPair(world, PAIR, PAIR);
				outage.remove();
				world.wait(60);
				first.join(7);
				const since = world.now();
				second.join(7);
				expect(world.now() - since < 1.5).to.equal(true);
				expect(warned(first, DEAF)).to.equal(1);
			});
		});

		it("hears nothing twice when the first try lands after it was given up", () => {
			play((_, world) => {
				world.faults.add({
					service: "Messaging",
					op: "SubscribeAsync",
					effect: "delay",
					stage: "respond",
					seconds: 15,
					count: 1,
				});
				const [first, second] = settledPair(world, PAIR, PAIR);
				first.join(7);
				world.wait(20);
				second.join(7);
				world.wait(3);
				const replies = world.trace.count({ op: "PublishAsync", server: first.server.name });
				expect(replies).to.equal(1);
			});
		});
	});

	describe("PublishAsync that fails or hangs", () => {
		for (const effect of ["failBefore", "hang", "throttle"] as const) {
			it(`(${effect}) delays no try of a waiting load, and warns once`, () => {
				play((_, world) => {
					const [first, second] = settledPair(world, PAIR, PAIR);
					world.faults.add({ service: "Messaging", op: "PublishAsync", effect });
					const { player } = first.join(7);
					const since = world.now();
					const back = second.server.join(7);
					world.wait(4);
					const tries = world.trace.count({ op: "UpdateAsync", server: second.server.name, since });
					expect(tries >= 4).to.equal(true);
					first.server.leave(player);
					second.profile(back);
					expect(world.now() - since < 6.3).to.equal(true);
					world.wait(40);
					expect(warned(second, MUTE)).to.equal(1);
				});
			});
		}

		it("(failBefore) fails a join closed after its 15 s, and the holder's session goes on", () => {
			play((_, world) => {
				const [first, second] = settledPair(world, PAIR, PAIR);
				world.faults.add({ service: "Messaging", effect: "failBefore" });
				const { profile } = first.join(7);
				const since = world.now();
				expect(second.wait(second.server.join(7)).success).to.equal(false);
				expect(world.now() - since >= 15 && world.now() - since < 16).to.equal(true);
				expect(profile.active).to.equal(true);
			});
		});
	});

	it("a reply that is lost costs a poll", () => {
		play((_, world) => {
			const [first, second] = settledPair(world, PAIR, PAIR);
			first.join(7);
			first.server.partition("Messaging");
			world.faults.add({ service: "Messaging", op: "PublishAsync", server: first.server, effect: "failBefore" });
			first.server.heal("Messaging");
			const since = world.now();
			second.join(7);
			expect(world.now() - since < 2.6).to.equal(true);
		});
	});
};
