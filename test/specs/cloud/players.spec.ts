import { simulate } from "../../cloud/simulate";

export = () => {
	describe("players of a server", () => {
		it("join and leave: PlayerAdded, GetPlayers, PlayerRemoving before the player is gone", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const { players } = server.platform;
				const seen = new Array<string>();
				players.PlayerAdded.Connect((player) =>
					seen.push(`added ${player.UserId} of ${players.GetPlayers().size()}`),
				);
				players.PlayerRemoving.Connect((player) =>
					seen.push(`removing ${player.UserId} of ${players.GetPlayers().size()}`),
				);
				const player = server.join(7);
				expect(player.IsDescendantOf(players as unknown as Instance)).to.equal(true);
				server.leave(player);
				server.leave(player);
				expect(seen.join(", ")).to.equal("added 7 of 1, removing 7 of 1");
				expect(players.GetPlayers().size()).to.equal(0);
				expect(player.Parent).to.equal(undefined);
			});
		});

		it("prior fault: a user who rejoins the same server is a new Player, while the old one's handler still waits", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let saved = false;
				server.platform.players.PlayerRemoving.Connect(() => {
					server.platform.task.wait(5);
					saved = true;
				});
				const first = server.join(7);
				server.leave(first);
				const second = server.join(7);
				expect(saved).to.equal(false);
				expect(first === second).to.equal(false);
				expect(first.Parent).to.equal(undefined);
				expect(second.Parent).to.be.ok();
				world.wait(6);
				expect(saved).to.equal(true);
			});
		});

		it("kick keeps the message and disconnects a moment later; the code after it goes on", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let removed = 0;
				server.platform.players.PlayerRemoving.Connect(() => (removed += 1));
				const player = server.join(7);
				server.run(() => {
					player.Kick("Please rejoin.");
					expect(player.Parent).to.be.ok();
				});
				expect(removed).to.equal(0);
				world.wait(0.1);
				player.Kick("again");
				world.wait(0.1);
				expect(removed).to.equal(1);
				expect(server.kicks.size()).to.equal(1);
				expect(server.kicks[0].message).to.equal("Please rejoin.");
				expect(server.kicks[0].userId).to.equal(7);
				expect(server.players().size()).to.equal(0);
			});
		});

		it("prior fault: a player who joined before a handler was connected is found by GetPlayers only", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				server.join(7);
				let added = 0;
				server.platform.players.PlayerAdded.Connect(() => (added += 1));
				expect(added).to.equal(0);
				expect(server.platform.players.GetPlayers().size()).to.equal(1);
			});
		});

		it("the same user may be on another server before the first one has said goodbye", () => {
			simulate({}, (world) => {
				const first = world.startServer();
				const second = world.startServer();
				const before = first.join(7);
				const after = second.join(7);
				expect(before.UserId).to.equal(after.UserId);
				first.leave(before);
				expect(second.players().size()).to.equal(1);
			});
		});
	});
};
