import { OpenProfile } from "../../src/driver/openProfile";
import { Profile } from "../../src/driver/profile";
import { BatonError } from "../../src/errors";
import { receipts } from "../../src/receipts/receipts";
import { trade } from "../../src/trade/trade";
import { TransactionConfig } from "../../src/transaction/config";
import { Transactable } from "../../src/transaction/context";
import { transaction } from "../../src/transaction/transaction";
import { handedRound, Holdings } from "./holdings";
import type { Lobby } from "./lobby";
import { Operation } from "./operations";

/** What a game's function throws, on purpose. */
const THROWN = "the game's function fails";
/** What nothing may answer where nothing goes wrong, but because players come and go. */
const EVEN_IN_CALM = ["busy", "released", "profile_closed", "lock_lost"];
const PRODUCT = 1;
/** How long a game waits for an unknown transaction to be settled. */
const PATIENCE_SECONDS = 200;

/** The trades, transactions and purchases of one simulated server, and whether what they answer is true. */
export class Market {
	/** Those that have not answered, on this server. */
	public readonly open = new Set<Operation>();

	private callback?: (receipt: ReceiptInfo) => Enum.ProductPurchaseDecision;

	public constructor(private readonly lobby: Lobby) {}

	/** Two users trade. Yields. */
	public trade(a: Profile<Holdings>, b: Profile<Holdings>): void {
		const { book, random } = this.lobby.rules;
		const operation = this.begin("trade");
		const answer = trade(
			a,
			b,
			(dataA, dataB) => {
				if (random.chance(0.05) || dataA.coins < 1) return false;
				operation.keys = [a.key, b.key];
				const [nextA, nextB] = handedRound([dataA, dataB], operation.id);
				return [nextA, nextB];
			},
			{ id: `T${operation.id}` },
		);
		this.open.delete(operation);
		if (answer.success) {
			const { value } = answer;
			if (value.outcome === "cancelled") return this.cancelled("trade", operation);
			if (!value.unsettled.isEmpty()) book.count("trade committed, not settled");
			return this.tell("trade", operation, "committed");
		}
		const { error: cause } = answer;
		book.count(`trade ${cause.type}`);
		this.tell("trade", operation, cause.type === "pending_recovery" ? "unknown" : "failed", cause);
	}

	/** A trade whose end is not known is asked for again, under its id: once it has committed, it is not made again. Yields. */
	public tradeAgain(operation: Operation, a: Profile<Holdings>, b: Profile<Holdings>): void {
		const { book } = this.lobby.rules;
		this.open.add(operation);
		const answer = trade(
			a,
			b,
			(dataA, dataB) => {
				if (dataA.coins < 1) return false;
				const [nextA, nextB] = handedRound([dataA, dataB], operation.id);
				return [nextA, nextB];
			},
			{ id: `T${operation.id}` },
		);
		this.open.delete(operation);
		if (answer.success) {
			if (answer.value.outcome === "committed") {
				book.count("trade made on the second asking");
				book.operations.tell(operation, "committed");
			}
			return;
		}
		if (answer.error.type !== "duplicate_id") return;
		book.count("trade refused on the second asking");
		book.operations.tell(operation, "committed");
	}

	/** A transaction over any profiles; the first `changes` of them get new data. Yields. */
	public transact(profiles: ReadonlyArray<Transactable<Holdings>>, changes: number, config: TransactionConfig): void {
		const { book, random } = this.lobby.rules;
		const operation = this.begin("transaction");
		const whim = random.fraction();
		const [fine, answer] = pcall(() =>
			transaction(
				profiles,
				(ctx) => {
					if (whim < 0.03) error(THROWN, 0);
					const all = profiles.map((profile) => ctx.get(profile));
					const [payer] = all;
					if (whim < 0.08 || payer.coins < changes - 1) return false;
					const changed = profiles.filter((_, index) => index < changes);
					operation.keys = changed.map(({ key }) => key);
					const handed = handedRound(
						all.filter((_, index) => index < changes),
						operation.id,
					);
					changed.forEach((profile, index) => ctx.set(profile, handed[index]));
				},
				config,
			),
		);
		this.open.delete(operation);
		if (!fine) {
			if (answer !== THROWN) error(answer, 0);
			return this.cancelled("transaction", operation);
		}
		if (answer.success) {
			if (!answer.value) return this.cancelled("transaction", operation);
			return this.tell("transaction", operation, "committed");
		}
		const { error: cause } = answer;
		book.count(`transaction ${cause.type}`);
		this.tell("transaction", operation, cause.type === "tx_unknown" ? "unknown" : "failed", cause);
		if (cause.type === "tx_unknown") this.lobby.server.spawn(() => this.awaitSettled(profiles, operation));
		book.count(
			cause.cause !== undefined ? `transaction failed: ${cause.cause.type}` : `transaction failed: by another`,
		);
	}

	/** A user buys something. Yields. */
	public buy(userId: number): void {
		const operation = this.begin("purchase");
		operation.keys = [`Player_${userId}`];
		this.ask(operation);
	}

	/** Roblox asks whether the purchase is granted, as it does until it is. Yields. */
	public ask(operation: Operation): void {
		const { book } = this.lobby.rules;
		const [key] = operation.keys;
		this.callback ??= receipts(this.lobby.driver, {
			[PRODUCT]: (data, { PurchaseId }) => ({
				...data,
				operations: [...data.operations, tonumber(PurchaseId.sub(2))!],
			}),
		});
		this.open.add(operation);
		const decision = this.callback({
			PurchaseId: `P${operation.id}`,
			ProductId: PRODUCT,
			PlayerId: tonumber(key.match("%d+")[0])!,
		} as ReceiptInfo);
		this.open.delete(operation);
		if (decision !== Enum.ProductPurchaseDecision.PurchaseGranted) return book.count("purchase not granted yet");
		book.count(operation.told === "committed" ? "purchase granted before" : "purchase granted");
		book.operations.tell(operation, "committed");
	}

	private begin(kind: Operation["kind"]): Operation {
		const { server, rules } = this.lobby;
		const operation = rules.book.operations.begin(kind, server, server.world.now());
		this.open.add(operation);
		return operation;
	}

	/** An unknown transaction's profiles take changes again once a retry has found out. */
	private awaitSettled(profiles: ReadonlyArray<Transactable<Holdings>>, operation: Operation): void {
		const { book } = this.lobby.rules;
		const isStuck = () =>
			profiles.some((profile) => profile.active && profile instanceof OpenProfile && profile.isBlocked());
		if (!isStuck()) return;
		for (let waited = 0; waited < PATIENCE_SECONDS; waited++) {
			this.lobby.server.platform.task.wait(1);
			if (isStuck()) continue;
			if (profiles.some((profile) => !profile.active)) return;
			const ending = book.operations.hasCommitted(operation) ? "committed" : "aborted";
			return book.count(`unknown transaction settled by a retry: ${ending}`);
		}
	}

	private cancelled(what: string, operation: Operation): void {
		this.lobby.rules.book.count(`${what} cancelled`);
		this.lobby.rules.book.operations.tell(operation, "failed");
	}

	private tell(
		what: string,
		operation: Operation,
		told: "committed" | "failed" | "unknown",
		cause?: BatonError,
	): void {
		const { book } = this.lobby.rules;
		book.count(`${what} ${told}`);
		this.lobby.server.world.trace.note(
			this.lobby.server.name,
			`operation ${operation.id} (${what} of ${operation.keys.join(", ")}) ${told}${cause !== undefined ? `: ${cause}` : ""}`,
		);
		book.operations.tell(operation, told);
		// A reader on a server that closes has it aborted.
		const isOthers = cause?.type === "tx_aborted" && cause.cause === undefined;
		if (cause !== undefined && !isOthers) this.lobby.expectCalm(operation.keys[0] ?? what, cause, EVEN_IN_CALM);
	}
}
