import { simulate } from "../../cloud/simulate";
import { expectPart, failureOf } from "./helpers";

export = () => {
	describe("access to data stores", () => {
		it("prior fault: GetDataStore throws in an unpublished place", () => {
			simulate({}, (world) => {
				const server = world.startServer({ isStudio: true, published: false });
				expectPart(
					failureOf(() => server.platform.dataStores.GetDataStore("Coins")),
					"You must publish this place to the web to access DataStore.",
				);
			});
		});

		it("Studio without API access: every call fails (both text forms); with access it reaches the live data", () => {
			for (const form of ["old", "new"] as const) {
				simulate({ switches: { errorTexts: form } }, (world) => {
					const part =
						form === "old"
							? "403: Cannot write to DataStore from studio if API access is not enabled."
							: "StudioAccessToApisNotAllowed: Studio access to APIs is not allowed. API: UpdateAsync, Data Store: Coins";
					const studio = world.startServer({ isStudio: true, apiAccess: false });
					const store = studio.platform.dataStores.GetDataStore("Coins");
					expectPart(
						failureOf(() => studio.run(() => store.UpdateAsync("k", () => $tuple(1)))),
						part,
					);
					failureOf(() => studio.run(() => store.GetAsync("k")));
					world.store("Coins").set("k", "live");
					const open = world.startServer({ isStudio: true });
					const read = open.run(() => open.platform.dataStores.GetDataStore("Coins").GetAsync("k")[0]);
					expect(read).to.equal("live");
				});
			}
		});
	});
};
