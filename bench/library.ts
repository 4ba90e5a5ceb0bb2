import { World } from "../test/cloud/world";
import { Bag } from "../test/story/bag";
import { Host, OpenHost, Session } from "../test/story/host";

/** A record that every server may change at the same time, as one server has it. */
export interface SharedKey {
	/** Adds coins. Does not yield. */
	readonly pay: (coins: number) => void;
	/** Yields until what was paid here is stored; throws where it could not be. */
	readonly save: () => void;
	/** Gives it so many sections of things beside the coins. Does not yield. */
	readonly fill: (bag: Bag) => void;
}

/** A library that keeps players' data, as the benchmark compares it. */
export interface Library {
	readonly name: string;
	readonly open: OpenHost;
	/** Row ids of what it cannot do, and the words for it. */
	readonly lacks: Readonly<Record<string, string>>;
	/** Changes several users of one server together or not at all. Yields until it is done. */
	/** Opens the record that all servers share on one of them; none where there are no such records. */
	readonly openShared?: (host: Host) => SharedKey;
	readonly together: Readonly<Record<string, (host: Host, sessions: ReadonlyArray<Session>, world: World) => void>>;
}
