import { play, PlayerGame } from "../driver/playerGame";

// Prior fault class "a session ends without a reason": a request is sent only while somebody waits for the lock.
export = () => {
	it("a player who leaves while the load meets another server's lock asks nobody for it", () => {
		play((lobby, world) => {
			const other = new PlayerGame(world);
			world.wait(2);
			const { profile } = lobby.join(7);
			const passing = other.server.join(7);
			world.wait(0.02);
			other.server.leave(passing);
			world.wait(10);
			expect(world.trace.count({ server: other.server, service: "DataStore", outcome: "cancelled" })).to.equal(1);
			expect(world.trace.count({ service: "Messaging", op: "PublishAsync" })).to.equal(0);
			expect(lobby.server.kicks.size()).to.equal(0);
			expect(profile.active).to.equal(true);
		});
	});

	it("nor does it ask again while an attempt hangs that is no longer wanted", () => {
		play((lobby, world) => {
			const other = new PlayerGame(world);
			world.wait(2);
			// The holder hears nothing, so the lock stays.
			world.faults.add({ service: "Messaging", op: "Deliver", effect: "drop" });
			lobby.join(7);
			const passing = other.server.join(7);
			world.wait(0.3);
			world.faults.add({ service: "DataStore", op: "UpdateAsync", server: other.server, effect: "hang" });
			world.wait(1);
			other.server.leave(passing);
			const before = world.trace.count({ service: "Messaging", op: "PublishAsync" });
			expect(before).to.equal(1);
			world.wait(20);
			expect(world.trace.count({ service: "Messaging", op: "PublishAsync" })).to.equal(before);
		});
	});
};
