import { Signal } from "../../../src/util/signal";
import { simulate } from "../../cloud/simulate";

// The library's own events.
export = () => {
	describe("a signal", () => {
		it("calls its handlers in the order of connecting, with all arguments", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const signal = new Signal<[number, string]>(server.platform.task);
				const heard = new Array<string>();
				signal.connect((count, text) => heard.push(`first ${count} ${text}`));
				signal.connect((count, text) => heard.push(`second ${count} ${text}`));
				server.run(() => signal.fire(1, "a"));
				expect(heard.join(", ")).to.equal("first 1 a, second 1 a");
			});
		});

		it("calls nobody after a disconnect, not even in the fire under way", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const signal = new Signal<[]>(server.platform.task);
				const heard = new Array<string>();
				signal.connect(() => {
					heard.push("first");
					second.disconnect();
				});
				const second = signal.connect(() => heard.push("second"));
				expect(second.connected).to.equal(true);
				server.run(() => {
					signal.fire();
					signal.fire();
				});
				expect(heard.join(" ")).to.equal("first first");
				expect(second.connected).to.equal(false);
				second.disconnect();
			});
		});

		it("leaves a handler connected during a fire to the next one", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const signal = new Signal<[]>(server.platform.task);
				let late = 0;
				signal.once(() => signal.connect(() => (late += 1)));
				server.run(() => signal.fire());
				expect(late).to.equal(0);
				server.run(() => signal.fire());
				expect(late).to.equal(1);
			});
		});

		it("calls a handler of once a single time, though it fires the signal itself", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const signal = new Signal<[]>(server.platform.task);
				let calls = 0;
				signal.once(() => {
					calls += 1;
					signal.fire();
				});
				server.run(() => signal.fire());
				expect(calls).to.equal(1);
			});
		});

		it("is held up by no handler that yields or throws", () => {
			simulate({}, (world) => {
				world.expectThreadErrors.push("broken handler");
				const server = world.startServer();
				const signal = new Signal<[]>(server.platform.task);
				let reached = false;
				signal.connect(() => server.platform.task.wait(60));
				signal.connect(() => error("broken handler"));
				signal.connect(() => (reached = true));
				server.run(() => signal.fire());
				expect(reached).to.equal(true);
				expect(world.now() < 1).to.equal(true);
			});
		});

		it("lets go of all handlers at once", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const signal = new Signal<[]>(server.platform.task);
				let calls = 0;
				const connection = signal.connect(() => (calls += 1));
				signal.disconnectAll();
				server.run(() => signal.fire());
				expect(calls).to.equal(0);
				expect(connection.connected).to.equal(false);
			});
		});
	});
};
