import type { Recording, StoredChange } from "../../tools/story/recording.ts";
import type { Range } from "./range.ts";
import { shortId } from "./servers.ts";

/** One line of a record. */
export interface Field {
	readonly name: string;
	readonly text: string;
	/** What it means for the reader: somebody holds it, something is undecided. */
	readonly tone?: "held" | "open" | "free";
}

/** What a key of a data store holds at one moment. */
export interface RecordView {
	readonly anchor: string;
	readonly title: string;
	readonly kind: "profile" | "journal" | "marker";
	/** None where nothing is stored. */
	readonly fields: ReadonlyArray<Field>;
	/** When it changed last. */
	readonly changedAt: number;
}

interface Lock {
	readonly JobId: string;
	readonly Token: string;
	readonly Turn: number;
	readonly Seq: number;
	readonly Presence?: boolean;
	readonly Tx?: boolean;
}

/** The parts of a stored record, a journal or a marker that are shown. */
interface Stored {
	readonly Data?: unknown;
	readonly Lock?: Lock;
	readonly Pending?: { readonly Id: string; readonly Data: unknown };
	readonly Meta?: {
		readonly PendingTransaction?: { readonly Key: string };
		readonly ReleasedToken?: string;
		readonly TransactionIds?: ReadonlyArray<string>;
	};
	readonly Kind?: string;
	readonly State?: string;
	readonly Entries?: Readonly<Record<string, { readonly Data: unknown }>>;
	readonly Settled?: Readonly<Record<string, boolean>>;
}

/** Only tells the data store's time. */
const CLOCK_KEY = "CKClock";
const JOURNAL_PREFIX = "CKTxn_";
const MARKERS = "CKMarkers";

/** The place of a key on the stage. */
export function recordAnchor(store: string, key: string): string {
	return `record:${store}/${key}`;
}

/** The changes of each key that plays a part in the range, in the order of the first ones. */
export function recordsIn({ changes, calls }: Recording, { start }: Range): Array<ReadonlyArray<StoredChange>> {
	const keys = new Map<string, Array<StoredChange>>();
	for (const change of changes) {
		if (change.key === CLOCK_KEY) continue;
		const anchor = recordAnchor(change.store, change.key);
		const known = keys.get(anchor);
		if (known === undefined) keys.set(anchor, [change]);
		else known.push(change);
	}
	const met = new Set<string>();
	for (const { at, service, store, key } of calls) {
		if (service === "DataStore" && at >= start) met.add(recordAnchor(store ?? "", key ?? ""));
	}
	return [...keys].filter(([anchor]) => met.has(anchor)).map(([, known]) => known);
}

/** What a key holds at `at`. `nameOf` names the server of a JobId. */
export function recordAt(
	changes: ReadonlyArray<StoredChange>,
	at: number,
	nameOf: (jobId: string) => string,
): RecordView {
	const { store, key } = changes[0]!;
	let last: StoredChange | undefined;
	for (const change of changes) if (change.at <= at) last = change;
	const kind = store === MARKERS ? "marker" : key.startsWith(JOURNAL_PREFIX) ? "journal" : "profile";
	const titles = {
		profile: `${store} / ${key}`,
		journal: `Trade journal ${shortId(key.slice(JOURNAL_PREFIX.length))}`,
		marker: `Transaction marker ${shortId(key)}`,
	};
	return {
		anchor: recordAnchor(store, key),
		title: titles[kind],
		kind,
		fields: last?.value === undefined ? [] : fieldsOf(last.value, kind, nameOf),
		changedAt: last?.at ?? -Infinity,
	};
}

function fieldsOf(value: unknown, kind: RecordView["kind"], nameOf: (jobId: string) => string): Array<Field> {
	if (kind === "marker") return [{ name: "decided", text: String(value), tone: "held" }];
	const stored = value as Stored;
	return kind === "journal" ? journalFields(stored) : profileFields(stored, nameOf);
}

function profileFields(
	{ Data, Lock: lock, Pending: pending, Meta: meta = {} }: Stored,
	nameOf: (id: string) => string,
) {
	const fields: Array<Field> = [{ name: "Data", text: dataText(Data) }];
	if (lock === undefined) fields.push({ name: "Lock", text: "free", tone: "free" });
	else {
		const what = lock.Tx === true ? " (transaction)" : "";
		fields.push({ name: "Lock", text: `${nameOf(lock.JobId)}${what} ${shortId(lock.Token)}`, tone: "held" });
		fields.push({ name: "Turn, Seq", text: `${lock.Turn}, ${lock.Seq}` });
		if (lock.Tx !== true) fields.push({ name: "Presence", text: lock.Presence === true ? "yes" : "no" });
	}
	if (pending !== undefined) {
		fields.push({ name: "Pending", text: `${dataText(pending.Data)} if ${shortId(pending.Id)}`, tone: "open" });
	}
	const pointer = meta.PendingTransaction;
	if (pointer !== undefined) {
		fields.push({
			name: "Pointer",
			text: `journal ${shortId(pointer.Key.slice(JOURNAL_PREFIX.length))}`,
			tone: "open",
		});
	}
	if (meta.ReleasedToken !== undefined) fields.push({ name: "Released", text: shortId(meta.ReleasedToken) });
	const trades = meta.TransactionIds?.length ?? 0;
	if (trades > 0) fields.push({ name: "Trades", text: `${trades} known` });
	return fields;
}

function journalFields({ State = "", Entries = {}, Settled = {} }: Stored): Array<Field> {
	const fields: Array<Field> = [{ name: "State", text: State, tone: State === "Preparing" ? "open" : "held" }];
	for (const [key, entry] of Object.entries(Entries)) fields.push({ name: key, text: `→ ${dataText(entry.Data)}` });
	const settled = Object.keys(Settled).filter((key) => Settled[key] === true);
	fields.push({ name: "Settled", text: settled.length > 0 ? settled.join(", ") : "nobody yet" });
	return fields;
}

/** Data as a reader wants them: `coins 25`. */
function dataText(data: unknown): string {
	if (typeof data !== "object" || data === null) return JSON.stringify(data);
	const entries = Object.entries(data);
	return entries.length === 0 ? "{}" : entries.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(", ");
}
