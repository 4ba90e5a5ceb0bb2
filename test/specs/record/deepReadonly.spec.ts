import { DeepReadonly } from "../../../src/record/deepReadonly";

/** `true` where both types are the same, readonly included; this file compiles only if each assertion holds. */
type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;

interface Data {
	coins: number;
	name?: string;
	pets: Array<{ name: string; tags: Array<string> }>;
	bag: { [item: string]: { count: number } };
	pair: [number, { deep: boolean }];
	id: number & { _brand: "id" };
}

interface Frozen {
	readonly coins: number;
	readonly name?: string;
	readonly pets: ReadonlyArray<{ readonly name: string; readonly tags: ReadonlyArray<string> }>;
	readonly bag: { readonly [item: string]: { readonly count: number } };
	readonly pair: readonly [number, { readonly deep: boolean }];
	readonly id: number & { _brand: "id" };
}

type Plain<T> = { [K in keyof T]: T[K] };

export = () => {
	it("makes every level readonly, so that `data.coins += 1` does not compile", () => {
		const fields: Same<Plain<DeepReadonly<Data>>, Plain<Frozen>> = true;
		const coins: Same<Pick<DeepReadonly<Data>, "coins">, { coins: number }> = false;
		const pets: Same<DeepReadonly<Data>["pets"], Frozen["pets"]> = true;
		const bag: Same<DeepReadonly<Data>["bag"], Frozen["bag"]> = true;
		const unions: Same<DeepReadonly<Array<string> | undefined>, ReadonlyArray<string> | undefined> = true;
		expect(fields && !coins && pets && bag && unions).to.equal(true);
	});
};
