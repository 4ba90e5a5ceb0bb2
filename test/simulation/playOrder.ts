import { World } from "../cloud/world";
import { Book, Violation } from "./book";
import { EvenRandom } from "./evenRandom";
import { heal } from "./healing";
import { Injections } from "./injections";
import { CALM, Game, Lobby } from "./lobby";
import { Order, orderText } from "./order";
import { OrderGate } from "./orderGate";
import { SmallCase } from "./smallCases";
import { failureText } from "./timeline";
import { Workload } from "./workload";

/** What one order came to. */
export interface OrderReport {
	/** How many there were to choose from at each decision. */
	readonly options: ReadonlyArray<number>;
	/** Why it failed, with a timeline; undefined where every rule was kept. */
	readonly failure?: string;
	readonly violations: ReadonlyArray<Violation>;
	/** Everything that crossed the cloud, as text. */
	readonly trace: () => string;
}

/** How long a case may take to answer everything: longer than a join's wait and a write that hangs. */
const CASE_SECONDS = 90;

/**
 * Plays a small case in an order, then lets everything work again, and judges every change of the store and every answer
 * by the rules of the random search. The same order plays the same calls.
 */
export function playOrder(small: SmallCase, order: Order): OrderReport {
	const world = new World({ seed: 1, profile: "fast" });
	const book = new Book(world);
	const random = new EvenRandom(1);
	const lobbies = new Array<Lobby>();
	const rules: Writable<Game> = {
		book,
		random,
		injections: new Injections(world, new Set()),
		...CALM,
		lobbies,
	};
	const { users, guilds } = small;
	const size = { users, guilds, servers: 2, seconds: 0, pace: 1 };
	const gate = new OrderGate(world, order, () => {
		rules.isCalm = false;
	});
	const [fine, cause] = pcall(() =>
		world.run(() => {
			const workload = new Workload(world, rules, size);
			const [first, second] = [workload.startLobby(true), workload.startLobby(true)];
			// Both trust their own beats by then.
			world.wait(20);
			small.prepare(first, second);
			world.moments.gate = gate;
			const running = new Map<Lobby, number>();
			small.play(first, second, (lobby, action) => {
				running.set(lobby, (running.get(lobby) ?? 0) + 1);
				lobby.server.spawn(() => {
					action();
					running.set(lobby, running.get(lobby)! - 1);
				});
			});
			const isOver = (lobby: Lobby): boolean =>
				!lobby.server.alive || ((running.get(lobby) ?? 0) === 0 && lobby.unsettled().isEmpty());
			const deadline = world.now() + CASE_SECONDS;
			while (!(gate.isIdle() && lobbies.every(isOver)) && world.now() < deadline) world.wait(0.05);
			gate.open();
			heal(world, rules, workload, size);
		}),
	);
	const { violations } = book;
	const report = { options: gate.options, violations, trace: () => world.trace.toText() };
	if (fine && violations.isEmpty()) return report;
	const title = `${small.name}, order ${orderText(order)}`;
	return { ...report, failure: failureText(title, world, book, fine ? undefined : cause) };
}
