import { Library } from "../library";
import { Boot, openPeer } from "./openPeer";

interface ProfileStoreRecord {
	readonly Data: { readonly coins: number };
	readonly MetaData: { readonly ActiveSession?: [placeId: number, jobId: string] };
}

interface LapisRecord {
	readonly data: { readonly coins: number };
	readonly lockId?: string;
}

/** What games use today, unmodified, with their defaults. */
export function peers(boot: Boot): ReadonlyArray<Library> {
	return [
		{
			name: "ProfileStore",
			lacks: { "holder-without-handoff": "no such switch" },
			together: {},
			open: openPeer({
				boot,
				module: "profileStoreGame",
				// Saved every 300 s, but not in the first 150 s of a session.
				savedWithinSeconds: 450,
				read: (record) => {
					const { Data, MetaData } = record as ProfileStoreRecord;
					return { coins: Data.coins, holder: MetaData.ActiveSession?.[1] };
				},
			}),
		},
		{
			name: "Lapis",
			lacks: { "late-request": "no requests", "holder-without-handoff": "as above: no requests" },
			together: {},
			open: openPeer({
				boot,
				module: "lapisGame",
				savedWithinSeconds: 300,
				read: (record) => {
					const { data, lockId } = record as LapisRecord;
					return { coins: data.coins, holder: lockId };
				},
			}),
		},
	];
}
