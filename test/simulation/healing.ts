import { World } from "../cloud/world";
import { StoredRecord } from "../../src/record/types";
import { Book, Deposit, MADE_ANEW } from "./book";
import { GameSize } from "./gameSize";
import { Game, guildOf, keyOf, Lobby, tokenOf } from "./lobby";
import { Page } from "./page";
import { Workload } from "./workload";

/** How long a join may take to be answered once nothing goes wrong any more: the write that hangs, and a load's wait. */
const ANSWER_SECONDS = 70;
/** How long the last writes may take to land then: one that hangs is given up after 30 s and pauses 30 s. */
const SETTLE_SECONDS = 130;
/** A server judges others' silence only after 13 s of beats. */
const TRUST_SECONDS = 20;
/** A load's last call is waited for so long; of a later answer nobody hears. */
const HEARD_SECONDS = 5;
/** A join waits 15 s at most for a lock, the next one finishes what it began. */
const JOIN_SECONDS = 35;
/** A flush that fails for good is tried again after 30 s; a write that budgets which ran dry hold up takes less. */
const QUEUE_SECONDS = 40;
/** A transaction of a server that is gone is given so long on a lockless key. */
const TX_SECONDS = 100;

/**
 * Everything works again: every join that waits is answered, what is not stored lands, and every user can join anywhere,
 * sees all that was acknowledged, and leaves no lock behind.
 */
export function heal(world: World, rules: Game, workload: Workload, { users, guilds }: GameSize): void {
	const { book, lobbies } = rules;
	world.trace.note("world", "heals");
	world.faults.clear();
	const alive = lobbies.filter((lobby) => lobby.server.alive);
	for (const { server } of alive) {
		server.heal();
		if (server.runner.paused) server.resume();
		server.crashAtStep(math.huge);
	}
	awaitTrue(world, ANSWER_SECONDS, () => alive.every((lobby) => !lobby.server.alive || lobby.unsettled().isEmpty()));
	for (const lobby of alive) {
		if (!lobby.server.alive) continue;
		for (const player of lobby.unsettled()) {
			book.broken(keyOf(player.UserId), `the join of ${player.Name} on ${lobby.server.name} is never answered`);
		}
	}
	for (const lobby of alive) {
		if (!lobby.server.alive) continue;
		lobby.releaseManual();
		for (const player of lobby.server.players()) lobby.leave(player);
	}
	const isSettled = () =>
		alive.every(({ server, market }) => !server.alive || market.open.isEmpty()) &&
		book.pages.every(({ record }) => isLeft(record, book)) &&
		book.deposits.every((deposit, index) => isDone(deposit, index + 1, book));
	awaitTrue(world, SETTLE_SECONDS, isSettled);
	// I13, bounded: every operation has answered.
	for (const { server, market } of alive) {
		if (!server.alive) continue;
		for (const { id, keys } of market.open) {
			book.broken(keys[0] ?? `operation ${id}`, `operation ${id} on ${server.name} is never answered`);
		}
	}
	for (const page of book.pages) judgeLeft(world, book, page);
	for (const lobby of alive) {
		if (!lobby.server.alive) continue;
		for (const key of lobby.stillActive())
			book.broken(key, `a profile is active on ${lobby.server.name} after all have left`);
	}
	const fresh = workload.startLobby(true);
	const isFree = book.pages.every(({ record }) => record?.Lock === undefined);
	world.wait(isFree ? 1 : TRUST_SECONDS);
	const open = workload.open();
	for (let userId = 1; userId <= users; userId++) {
		visit(world, rules, userId, rules.random.chance(0.5) ? fresh : open[rules.random.integer(0, open.size() - 1)]);
	}
	for (let id = 1; id <= guilds; id++) visitGuild(world, rules, guildOf(id), fresh);
	// I14, no residue, where nothing went wrong. A reader's marker may come when all is over, from a queue above all.
	const hasResidue = (): boolean => {
		const { journals, markers } = book.evidence.count();
		return rules.isCalm && (journals > 0 || markers > (book.counts.get(MADE_ANEW) ?? 0));
	};
	// Queues that waited for a guild's lock to go by age, and a coordinator's next flush.
	awaitTrue(world, QUEUE_SECONDS, () => isSettled() && !hasResidue());
	for (const page of book.pages) {
		if (page.record?.Pending !== undefined) book.broken(page.key, "a transaction is left on the record");
		if (page.record?.Meta.PendingTransaction !== undefined) book.broken(page.key, "a trade is left on the record");
	}
	const { journals, markers } = book.evidence.count();
	book.count("journals left", journals);
	book.count("markers left", markers);
	if (hasResidue()) book.broken("CK", `${journals} journals and ${markers} markers are left behind in calm`);
	book.deposits.forEach((deposit, index) => {
		const id = index + 1;
		if (deposit.isRefused === true || book.page(deposit.key).has(id)) return;
		const owner = lobbies.find((lobby) => lobby.server === deposit.server);
		const isTold = deposit.isQueued ? owner?.crashed === true || owner?.hall.explains(deposit.key) : undefined;
		if (isTold ?? owner?.explains(deposit.session, deposit.key) === true)
			return book.count("deposits lost and told");
		book.broken(deposit.key, `deposit ${id} of ${deposit.server.name} is lost without a word`);
	});
}

/** Yields until `condition` holds, or `seconds` have passed. */
function awaitTrue(world: World, seconds: number, condition: () => boolean): void {
	const deadline = world.now() + seconds;
	while (!condition() && world.now() < deadline) world.wait(0.25);
}

/** Nobody is anywhere any more: a living server keeps no lock that it was told of, only one whose acquire landed, or was answered, late. */
function judgeLeft(world: World, book: Book, { key, record, takenAt }: Page): void {
	const lock = record?.Lock;
	const holder = lock !== undefined ? book.serverOf(lock.JobId) : undefined;
	if (lock === undefined || lock.Tx === true || holder?.alive !== true) return;
	const wasTold = world.trace.calls.some(({ key: called, server, at, appliedAt = 0, answeredAt = 0, outcome }) => {
		const isTaking = called === key && server === holder.name && appliedAt === takenAt;
		return isTaking && outcome === "ok" && answeredAt >= appliedAt && answeredAt < at + HEARD_SECONDS;
	});
	if (wasTold) book.broken(key, `${holder.name} keeps a lock that it has no profile for`);
}

/** Whether a deposit is stored, or its server is gone. */
function isDone({ key, server, isRefused }: Deposit, id: number, book: Book): boolean {
	return !server.alive || isRefused === true || book.page(key).has(id);
}

/** Whether nothing of those who live is on the record. */
function isLeft(record: StoredRecord | undefined, book: Book): boolean {
	if (record === undefined) return true;
	const { Lock, Pending, Meta } = record;
	const isHeld = Lock !== undefined && book.serverOf(Lock.JobId)?.alive === true;
	return !isHeld && Pending === undefined && Meta.PendingTransaction === undefined;
}

/** The user joins, finds everything, and leaves the record free. */
function visit(world: World, rules: Game, userId: number, lobby: Lobby, isFirst = true): void {
	const { book } = rules;
	const key = keyOf(userId);
	const page = book.page(key);
	const lock = page.record?.Lock;
	const holder = lock !== undefined ? book.serverOf(lock.JobId) : undefined;
	const owner = rules.lobbies.find((each) => each.server === holder);
	const speaks = lobby.handoff && owner?.handoff === true;
	const byAge = lock !== undefined && (!speaks || (!owner.server.alive && lock.Presence !== true));
	if (lock !== undefined) book.count(holder?.alive === true ? "left locks of the living" : "left locks of the dead");
	const started = world.now();
	const bound = byAge ? book.staleSeconds + JOIN_SECONDS : JOIN_SECONDS;
	let token: string | undefined;
	lobby.join(userId);
	for (;;) {
		const [player] = lobby.playersOf(userId);
		const open = player !== undefined ? lobby.driver.profileOf(player) : undefined;
		token = open !== undefined ? tokenOf(open) : undefined;
		if (open !== undefined) break;
		if (world.now() - started > bound) {
			book.broken(key, `a join on ${lobby.server.name} fails for ${bound} s after everything has healed`);
			break;
		}
		if (player === undefined) lobby.join(userId);
		world.wait(0.25);
	}
	const bought = book.operations.all.filter(({ kind, keys }) => kind === "purchase" && keys[0] === key);
	for (const operation of bought) lobby.server.spawn(() => lobby.market.ask(operation));
	awaitTrue(world, QUEUE_SECONDS, () => bought.every(({ told }) => told === "committed"));
	for (const { id, told } of bought) {
		if (told !== "committed") book.broken(key, `purchase ${id} is not granted after everything has healed`);
	}
	for (const player of lobby.playersOf(userId)) lobby.leave(player);
	const isOver = () => page.record?.Lock?.Token !== token && lobby.driver.get(key) === undefined;
	awaitTrue(world, QUEUE_SECONDS, () => isOver());
	const left = page.record?.Lock;
	if (left !== undefined && left.Token !== token && isFirst) {
		// An acquire of another load has landed late, and is cleared for whoever comes next.
		book.count("late acquire cleared for the next join");
		return visit(world, rules, userId, lobby, false);
	}
	if (left !== undefined) book.broken(key, "a lock is left behind after everything has healed");
	if (lobby.driver.get(key) !== undefined) book.broken(key, "a profile is left open after its player left");
}

/** Somebody pays into the guild, and nothing of others is left on it. */
function visitGuild(world: World, rules: Game, key: string, lobby: Lobby, isFirst = true): void {
	const { book } = rules;
	const page = book.page(key);
	const bound = JOIN_SECONDS + (page.record?.Lock !== undefined ? book.staleSeconds : 0) + TX_SECONDS;
	const started = world.now();
	lobby.hall.pay(key);
	lobby.server.spawn(() => lobby.hall.save(key, false));
	const isStored = () =>
		book.deposits.every(
			(deposit, index) => deposit.key !== key || page.has(index + 1) || deposit.server !== lobby.server,
		);
	while (!isStored()) {
		if (world.now() - started > bound) {
			return book.broken(
				key,
				`a payment on ${lobby.server.name} is not stored ${bound} s after everything has healed`,
			);
		}
		world.wait(0.5);
	}
	const left = page.record?.Lock;
	if (left === undefined) return;
	// One that lands late is nobody's, and expires.
	if (left.Tx === true) return book.count("tx lock left until it expires");
	if (isFirst) {
		// An acquire of a session has landed late: for whoever comes next it goes by age.
		book.count("late acquire of a guild went by age");
		return visitGuild(world, rules, key, lobby, false);
	}
	book.broken(key, "a lock is left behind after everything has healed");
}
