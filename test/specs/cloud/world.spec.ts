import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { failureOf, messageOf } from "./helpers";

export = () => {
	describe("a world's run", () => {
		it("takes no real time: ten virtual minutes pass at once", () => {
			const world = simulate({}, (running) => running.wait(600));
			expect(world.now()).to.equal(600);
		});

		it("throws the body's error with its traceback", () => {
			const failure = failureOf(() => simulate({}, () => error("the body broke")));
			expect(messageOf(failure).find("the body broke", 1, true)[0]).to.be.ok();
			expect(messageOf(failure).find("world.spec", 1, true)[0]).to.be.ok();
		});

		it("is not part of a server whose services the body calls itself: its waits and errors stay its own", () => {
			const failure = failureOf(() =>
				simulate({}, (world) => {
					const server = world.startServer();
					server.platform.dataStores.GetDataStore("Coins").GetAsync("k");
					server.crash();
					world.wait(1);
					const second = world.startServer();
					second.platform.dataStores.GetDataStore("Coins").GetAsync("k");
					error(`the body broke at ${world.now() >= 1}`);
				}),
			);
			expect(messageOf(failure).find("the body broke at true", 1, true)[0]).to.be.ok();
		});

		it("says so when the body waits for something that never comes", () => {
			const failure = failureOf(() => simulate({}, () => coroutine.yield()));
			expect(messageOf(failure).find("never comes", 1, true)[0]).to.be.ok();
		});

		it("says so when the body outlasts its limit while a server goes on for ever", () => {
			const failure = failureOf(() =>
				simulate({ maxSeconds: 100 }, (world) => {
					const server = world.startServer();
					server.spawn(() => {
						for (;;) server.platform.task.wait(1);
					});
					coroutine.yield();
				}),
			);
			expect(messageOf(failure).find("has not ended", 1, true)[0]).to.be.ok();
		});

		it("throws an error that ended a server's thread, unless it is expected", () => {
			const body = (world: World): void => {
				const server = world.startServer();
				server.platform.task.delay(1, () => error("the thread broke"));
				world.wait(2);
			};
			const failure = failureOf(() => simulate({}, body));
			expect(messageOf(failure).find("the thread broke", 1, true)[0]).to.be.ok();
			const world = simulate({}, (running) => {
				running.expectThreadErrors.push("the thread broke");
				body(running);
			});
			expect(world.threadErrors.size()).to.equal(1);
		});
	});
};
