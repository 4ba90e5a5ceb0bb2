import { simulate } from "../../cloud/simulate";
import { SignalConnection } from "../../cloud/signal";

export = () => {
	describe("a service's signal", () => {
		it("runs each handler in a thread of its own: one that waits or breaks stops no other", () => {
			simulate({}, (world) => {
				world.expectThreadErrors.push("handler broke");
				const server = world.startServer();
				const seen = new Array<string>();
				const { PlayerAdded } = server.platform.players;
				PlayerAdded.Connect(() => {
					server.platform.task.wait(1);
					seen.push("waited");
				});
				PlayerAdded.Connect(() => error("handler broke"));
				PlayerAdded.Connect((player) => seen.push(player.Name));
				server.join(1, "Ann");
				world.wait(2);
				expect(seen.join(" ")).to.equal("Ann waited");
			});
		});

		it("calls no handler after Disconnect", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let calls = 0;
				const connection = server.platform.players.PlayerAdded.Connect(() => (calls += 1));
				server.join(1);
				connection.Disconnect();
				connection.Disconnect();
				server.join(2);
				expect(calls).to.equal(1);
			});
		});

		it("runs handlers within the fire, or with deferred signals at the end of the resumption cycle", () => {
			for (const deferred of [false, true]) {
				simulate({ switches: { deferredSignals: deferred } }, (world) => {
					const server = world.startServer();
					const seen = new Array<string>();
					server.platform.players.PlayerAdded.Connect(() => seen.push("handler"));
					server.join(1);
					seen.push("after");
					world.wait(0);
					expect(seen.join(" ")).to.equal(deferred ? "after handler" : "handler after");
				});
			}
		});

		it("with deferred signals, a handler that is disconnected in between is not called", () => {
			simulate({ switches: { deferredSignals: true } }, (world) => {
				const server = world.startServer();
				let calls = 0;
				const connection = server.platform.players.PlayerAdded.Connect(() => (calls += 1));
				server.join(1);
				connection.Disconnect();
				world.wait(1);
				expect(calls).to.equal(0);
			});
		});

		it("Once calls its handler once, and Wait yields until the next fire", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const signal = server.playersService.PlayerAdded;
				let calls = 0;
				const connection: SignalConnection<[Player]> = signal.Once(() => (calls += 1));
				world.after(1, () => server.join(1, "Ann"));
				world.after(2, () => server.join(2, "Ben"));
				const player = server.run(() => signal.Wait());
				expect(player.Name).to.equal("Ann");
				world.wait(3);
				expect(calls).to.equal(1);
				expect(connection.Connected).to.equal(false);
			});
		});
	});
};
