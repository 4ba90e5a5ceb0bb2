import { DataStoresService } from "../../../src/platform/platform";
import { Server } from "../server";
import { World } from "../world";
import { ServerBudget } from "./budget";
import { NAME_BYTES, RequestKind } from "./errors";
import { StoreHandle } from "./store";

/** What the older names of `Enum.DataStoreRequestType` draw on. */
const OLDER_KINDS: Readonly<Record<string, ReadonlyArray<RequestKind>>> = {
	GetAsync: ["StandardRead"],
	SetIncrementAsync: ["StandardWrite"],
	UpdateAsync: ["StandardRead", "StandardWrite"],
};

/** `DataStoreService` as one server sees it. */
export class ServerDataStores implements DataStoresService {
	public readonly budget: ServerBudget;
	private readonly handles = new Map<string, StoreHandle>();

	public constructor(
		private readonly world: World,
		private readonly server: Server,
	) {
		this.budget = new ServerBudget(
			world,
			() => server.playerCount(),
			(message) => server.platform.warn(message),
		);
	}

	/** The same object for the same name and scope. Throws in an unpublished place. */
	public GetDataStore(name: string, scope = "global"): StoreHandle {
		if (!this.server.published) error("You must publish this place to the web to access DataStore.", 0);
		checkName("DataStore name", name);
		checkName("DataStore scope", scope);
		const id = `${name}\n${scope}`;
		let handle = this.handles.get(id);
		if (handle === undefined) {
			handle = new StoreHandle(this.world, this.server, this.budget, name, scope);
			this.handles.set(id, handle);
		}
		return handle;
	}

	/** Requests of a kind that are left on this server, by the name of its `Enum.DataStoreRequestType`. */
	public GetRequestBudgetForRequestType(kind: { readonly Name: string } | string): number {
		const name = typeIs(kind, "string") ? kind : kind.Name;
		let least = math.huge;
		for (const each of OLDER_KINDS[name] ?? [name as RequestKind]) least = math.min(least, this.budget.left(each));
		return least;
	}

	/** Credits budgets at the present rates, before the number of players changes. */
	public beforePlayersChange(): void {
		this.budget.fill();
		this.world.dataStores.budget.fill();
	}
}

function checkName(what: string, name: string): void {
	if (name.size() === 0) error(`${what} can't be empty.`, 0);
	if (name.size() > NAME_BYTES) error(`${what} exceeds the ${NAME_BYTES} character limit.`, 0);
}
