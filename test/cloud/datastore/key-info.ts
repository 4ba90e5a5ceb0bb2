import { KeyInfo } from "../../../src/platform/platform";
import { StoredVersion } from "./key-history";

/** `DataStoreKeyInfo`: what a version was when it was read. */
export class KeyInfoSnapshot implements KeyInfo {
	public readonly ClassName = "DataStoreKeyInfo";
	public readonly CreatedTime: number;
	public readonly UpdatedTime: number;
	public readonly Version: string;
	private readonly userIds: ReadonlyArray<number>;
	private readonly metadata: object;

	public constructor(version: StoredVersion) {
		this.CreatedTime = version.createdTime;
		this.UpdatedTime = version.time;
		this.Version = version.id;
		this.userIds = version.userIds;
		this.metadata = version.metadata;
	}

	public GetUserIds(): Array<number> {
		return [...this.userIds];
	}

	public GetMetadata(): object {
		return table.clone(this.metadata);
	}
}
