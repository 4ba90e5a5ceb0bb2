import { World } from "../test/cloud/world";
import { Host, OpenHost, Session } from "../test/story/host";

/** A library that keeps players' data, as the benchmark compares it. */
export interface Library {
	readonly name: string;
	readonly open: OpenHost;
	/** Row ids of what it cannot do, and the words for it. */
	readonly lacks: Readonly<Record<string, string>>;
	/** Changes several users of one server together or not at all. Yields until it is done. */
	readonly together: Readonly<Record<string, (host: Host, sessions: ReadonlyArray<Session>, world: World) => void>>;
}
