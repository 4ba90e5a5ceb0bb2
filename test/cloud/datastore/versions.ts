import { VersionInfo, VersionPages } from "../../../src/platform/platform";
import { StoredVersion } from "./key-history";

/** `DataStoreVersionPages` over a list that was read once. */
export class StoredVersionPages implements VersionPages {
	public IsFinished: boolean;
	private readonly infos: Array<VersionInfo>;
	private offset = 0;

	public constructor(
		versions: ReadonlyArray<StoredVersion>,
		descending: boolean,
		private readonly pageSize: number,
		private readonly callAgain: () => void,
	) {
		this.infos = versions.map((version) => ({
			Version: version.id,
			CreatedTime: version.time,
			IsDeleted: version.deleted,
		}));
		if (descending) {
			const reversed = new Array<VersionInfo>();
			for (let index = this.infos.size() - 1; index >= 0; index--) reversed.push(this.infos[index]);
			this.infos = reversed;
		}
		this.IsFinished = this.infos.size() <= pageSize;
	}

	public GetCurrentPage(): Array<VersionInfo> {
		const page = new Array<VersionInfo>();
		for (let index = this.offset; index < math.min(this.offset + this.pageSize, this.infos.size()); index++) {
			page.push(this.infos[index]);
		}
		return page;
	}

	/** Yields; costs another request. */
	public AdvanceToNextPageAsync(): void {
		if (this.IsFinished) error("No pages to advance to.", 0);
		this.callAgain();
		this.offset += this.pageSize;
		this.IsFinished = this.offset + this.pageSize >= this.infos.size();
	}
}
