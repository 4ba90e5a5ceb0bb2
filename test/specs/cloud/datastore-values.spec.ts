import { simulate } from "../../cloud/simulate";
import { JsonCopier, stringBytes, unpackStored } from "../../cloud/datastore/json-copy";
import { expectPart, failureOf, onServer } from "./helpers";

type Loose = Record<string, unknown>;

/** What comes back of a value that was stored. */
function roundTrip(value: unknown): unknown {
	return unpackStored(new JsonCopier(true).pack(value));
}

export = () => {
	describe("a stored value", () => {
		it("is a copy: what a server does to its table later, or to one it read, changes nothing stored", () => {
			onServer({}, (store, server, world) => {
				const mine = { inner: { coins: 1 } };
				const [returned] = store.UpdateAsync("k", () => $tuple(mine));
				mine.inner.coins = 2;
				(returned as typeof mine).inner.coins = 3;
				const [read] = store.GetAsync("k");
				(read as typeof mine).inner.coins = 4;
				const [again] = store.GetAsync("k");
				expect((again as typeof mine).inner.coins).to.equal(1);
				store.UpdateAsync("k", (old) => {
					(old as typeof mine).inner.coins = 5;
					return $tuple(undefined);
				});
				expect((world.store("Coins").get("k") as typeof mine).inner.coins).to.equal(1);
				expect(server.alive).to.equal(true);
			});
		});

		it("reuses the copy of a deep-frozen table, and copies a frozen one with a mutable inside afresh", () => {
			const copier = new JsonCopier(true);
			const deep = table.freeze({ inner: table.freeze({ text: string.rep("x", 200) }) });
			expect(copier.pack(deep).value).to.equal(copier.pack(deep).value);
			const inner = { text: string.rep("x", 200), coins: 1 };
			const shallow = table.freeze({ inner });
			copier.pack(shallow);
			inner.coins = 2;
			expect((copier.pack(shallow).value as typeof shallow).inner.coins).to.equal(2);
		});

		it("numeric keys of a table without array items come back as strings", () => {
			const back = roundTrip(new Map<number, string>([[5, "five"]])) as Map<unknown, unknown>;
			expect(back.get(5)).to.equal(undefined);
			expect(back.get("5")).to.equal("five");
		});

		it("a table with array items loses its string keys", () => {
			const mixed = ["a", "b"] as unknown as Loose;
			mixed.name = "lost";
			const back = roundTrip({ mixed }) as { mixed: Loose };
			expect(back.mixed.name).to.equal(undefined);
			expect((back.mixed as unknown as Array<string>).join("")).to.equal("ab");
		});

		it("with the switch, mixed tables and arrays with gaps are refused", () => {
			const mixed = ["a"] as unknown as Loose;
			mixed.name = "b";
			onServer({ switches: { oddTables: "refuse" } }, (store, _server, world) => {
				for (const value of [mixed, new Map([[5, 1]]), { inner: mixed }]) {
					expectPart(
						failureOf(() => store.UpdateAsync("k", () => $tuple(value))),
						"Cannot convert mixed or non-array tables: keys must be strings",
					);
				}
				expect(world.trace.durableWrites()).to.equal(0);
				store.UpdateAsync("k", () => $tuple({ list: [1, 2], empty: {} }));
			});
		});

		it("metatables are gone", () => {
			class Pet {
				public constructor(public readonly name: string) {}
				public bark(): string {
					return this.name;
				}
			}
			const back = roundTrip({ pet: new Pet("Rex") }) as { pet: Pet };
			expect(back.pet.name).to.equal("Rex");
			expect(getmetatable(back.pet)).to.equal(undefined);
		});

		it("NaN and infinity are stored, or with the switch refused", () => {
			onServer({}, (store) => {
				const [value] = store.UpdateAsync("k", () => $tuple({ nan: 0 / 0, big: math.huge }));
				const { nan, big } = value as { nan: number; big: number };
				expect(nan === nan).to.equal(false);
				expect(big).to.equal(math.huge);
			});
			onServer({ switches: { nanStorable: false } }, (store, _server, world) => {
				expectPart(
					failureOf(() => store.UpdateAsync("k", () => $tuple({ nan: 0 / 0 }))),
					"104: Cannot store NaN or infinity",
				);
				expect(world.store("Coins").get("k")).to.equal(undefined);
			});
		});

		it("prior fault: what cannot be stored is refused, naming the type at the top or the container", () => {
			const cyclic: Loose = {};
			cyclic.self = cyclic;
			const cases: ReadonlyArray<[value: unknown, kind: string]> = [
				[() => {}, "function"],
				[coroutine.running(), "thread"],
				["\xff\xfe", "string"],
				[{ text: "\xff" }, "Dictionary"],
				[{ inner: { call: () => {} } }, "Dictionary"],
				[[() => {}], "Array"],
				[{ "\xff": 1 }, "Dictionary"],
				[new Map<unknown, unknown>([[true, 1]]), "Dictionary"],
				[cyclic, "Dictionary"],
			];
			onServer({}, (store, _server, world) => {
				for (const [value, kind] of cases) {
					const failure = failureOf(() => store.UpdateAsync("k", () => $tuple(value)));
					expectPart(failure, `104: Cannot store ${kind} in data store.`);
				}
				expect(world.trace.durableWrites()).to.equal(0);
			});
		});

		it("a player is an instance, which cannot be stored", () => {
			onServer({}, (store, server) => {
				const player = server.join(7);
				expectPart(
					failureOf(() => store.UpdateAsync("k", () => $tuple(player))),
					"104: Cannot store Instance",
				);
				expectPart(
					failureOf(() => store.UpdateAsync("k", () => $tuple({ player }))),
					"104: Cannot store Dictionary",
				);
			});
		});

		it("is measured as JSON, escapes counted; over 4,194,304 bytes it is refused", () => {
			expect(stringBytes("abc")).to.equal(5);
			expect(stringBytes('a"b\\c\nd')).to.equal(12);
			expect(stringBytes("\x01\x7f")).to.equal(9);
			const copier = new JsonCopier(true);
			expect(copier.pack({ a: [1, true, "x"] }).bytes).to.equal('{"a":[1,true,"x"]}'.size());
			expect(copier.pack({ a: 1, b: false }).bytes).to.equal('{"a":1,"b":false}'.size());
			expect(copier.pack({}).bytes).to.equal(2);
			expect(copier.pack([[], [1, [2]], { a: {} }]).bytes).to.equal('[[],[1,[2]],{"a":[]}]'.size());
			expect(copier.pack("é").bytes).to.equal(4);
			onServer({}, (store, _server, world) => {
				store.UpdateAsync("fits", () => $tuple(string.rep("x", 4194302)));
				expectPart(
					failureOf(() => store.UpdateAsync("k", () => $tuple(string.rep("x", 4194303)))),
					"105: Serialized value exceeds",
				);
				expect(world.store("Coins").info("fits")!.bytes).to.equal(4194304);
			});
		});
	});

	describe("names, keys, user ids and metadata", () => {
		it("keys are 1 to 50 bytes", () => {
			onServer({}, (store) => {
				expectPart(
					failureOf(() => store.GetAsync("")),
					"101: Key name can't be empty.",
				);
				expectPart(
					failureOf(() => store.GetAsync(string.rep("é", 26))),
					"102: Key name exceeds",
				);
				expectPart(
					failureOf(() => store.UpdateAsync(string.rep("x", 51), () => $tuple(1))),
					"102: ",
				);
				failureOf(() => store.GetAsync(undefined as unknown as string));
				store.GetAsync(string.rep("x", 50));
			});
		});

		it("names and scopes are 1 to 50 bytes", () => {
			simulate({}, (world) => {
				const { dataStores } = world.startServer().platform;
				failureOf(() => dataStores.GetDataStore(""));
				failureOf(() => dataStores.GetDataStore(string.rep("x", 51)));
				failureOf(() => dataStores.GetDataStore("Coins", string.rep("x", 51)));
				dataStores.GetDataStore(string.rep("x", 50), string.rep("x", 50));
			});
		});

		it("metadata is at most 300 bytes, a value 250, a key 50; user ids are at most 4 integers", () => {
			onServer({}, (store, _server, world) => {
				const refused = (part: string, userIds?: Array<number>, metadata?: object): void =>
					expectPart(
						failureOf(() => store.UpdateAsync("k", () => $tuple(1, userIds, metadata))),
						part,
					);
				refused("511: ", undefined, { a: string.rep("x", 251) });
				refused("511: ", undefined, { a: string.rep("x", 200), b: string.rep("x", 200) });
				refused("511: ", undefined, { [string.rep("x", 51)]: 1 });
				refused("513: ", undefined, { a: {} });
				refused("512: ", [1, 2, 3, 4, 5]);
				refused("513: ", [1.5]);
				expect(world.trace.durableWrites()).to.equal(0);
				store.UpdateAsync("k", () => $tuple(1, [1, 2, 3, 4], { a: string.rep("x", 250) }));
			});
		});
	});
};
