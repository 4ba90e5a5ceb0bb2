type Leaf = string | number | boolean | undefined | thread | Callback;

/**
 * `T` with every field and element readonly, all the way down: the type of `profile.data`, which is frozen, so that
 * an assignment to it does not compile.
 */
export type DeepReadonly<T> = T extends Leaf
	? T
	: T extends ReadonlyMap<infer K, infer V>
		? ReadonlyMap<K, DeepReadonly<V>>
		: T extends ReadonlySet<infer V>
			? ReadonlySet<V>
			: T extends object
				? { readonly [K in keyof T]: DeepReadonly<T[K]> }
				: T;
