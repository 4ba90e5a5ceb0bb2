import { DATA_BYTES, ENVELOPE_BYTES, KEY_BYTES, VALUE_BYTES, checkKey, checkName } from "../../../src/record/limits";

export = () => {
	describe("names and keys are refused before any write, with a message that names them", () => {
		it("takes a name and a key of 50 bytes", () => {
			expect(checkName("the store name", string.rep("n", 50))).to.equal(undefined);
			expect(checkKey("Players", string.rep("k", KEY_BYTES))).to.equal(undefined);
		});

		it("refuses one of 51 bytes, though it has fewer characters", () => {
			expect(checkName("the store name", string.rep("n", 51))).to.be.a("string");
			const accented = string.rep("é", 26);
			expect(utf8.len(accented)[0]).to.equal(26);
			expect(checkKey("Players", accented)).to.be.a("string");
		});

		it("refuses what is empty, no string, or not UTF-8", () => {
			expect(checkName("the store name", "")).to.be.a("string");
			expect(checkName("the store name", 5)).to.be.a("string");
			expect(checkKey("Players", "")).to.be.a("string");
			expect(checkKey("Players", undefined)).to.be.a("string");
			expect(checkKey("Players", string.char(0xff, 0xfe))).to.be.a("string");
		});

		it("refuses the keys that Baton keeps for itself, and only those", () => {
			expect(checkKey("Players", "CKTxn_1")).to.be.a("string");
			expect(checkKey("Players", "CKProbe_1")).to.be.a("string");
			expect(checkKey("Players", "CKClock")).to.be.a("string");
			expect(checkKey("Players", "CKTx")).to.equal(undefined);
			expect(checkKey("Players", "aCKTxn_1")).to.equal(undefined);
			expect(checkKey("Players", "CKClock2")).to.equal(undefined);
		});

		it("names the store and the key in the message", () => {
			const message = checkKey("Players", "CKTxn_1") ?? "";
			expect(message.find("Players", 1, true)[0]).to.be.ok();
			expect(message.find("CKTxn_1", 1, true)[0]).to.be.ok();
		});
	});

	it("leaves the envelope out of what the game's data may use", () => {
		expect(DATA_BYTES + ENVELOPE_BYTES).to.equal(VALUE_BYTES);
	});
};
