import { simulate } from "../../cloud/simulate";

export = () => {
	describe("a data store", () => {
		it("keeps what one server wrote for another to read", () => {
			simulate({}, (world) => {
				const first = world.startServer();
				const second = world.startServer();
				first.run(() => {
					const [value, info] = first.platform.dataStores
						.GetDataStore("Coins")
						.UpdateAsync("k", (old, oldInfo) => {
							expect(old).to.equal(undefined);
							expect(oldInfo).to.equal(undefined);
							return $tuple({ coins: 3 }, [7], { a: "b" });
						});
					expect((value as { coins: number }).coins).to.equal(3);
					expect(info!.GetUserIds()[0]).to.equal(7);
				});
				const [value, info] = second.run(() => {
					const [read, readInfo] = second.platform.dataStores.GetDataStore("Coins").GetAsync("k");
					return [read, readInfo] as const;
				});
				expect((value as { coins: number }).coins).to.equal(3);
				expect((info!.GetMetadata() as { a: string }).a).to.equal("b");
				expect(world.trace.durableWrites({ op: "UpdateAsync" })).to.equal(1);
				expect((world.store("Coins").get("k") as { coins: number }).coins).to.equal(3);
			});
		});

		it("removes", () => {
			simulate({ profile: "live" }, (world) => {
				const server = world.startServer();
				world.store("Coins").set("k", 5);
				const store = server.platform.dataStores.GetDataStore("Coins");
				server.run(() => {
					const [before] = store.RemoveAsync("k");
					expect(before).to.equal(5);
					expect(store.GetAsync("k", server.platform.uncachedRead)[0]).to.equal(undefined);
				});
				expect(world.store("Coins").keys().size()).to.equal(0);
				expect(world.trace.removes()).to.equal(1);
			});
		});
	});
};
