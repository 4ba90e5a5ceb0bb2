/** Errors of MemoryStoreService that no repetition mends (its table of response codes). */
const FINAL_CODES = [
	"UnpublishedPlace",
	"You must publish this place",
	"InvalidClientAccess",
	"InvalidExpirationTime",
	"InvalidRequest",
	"TransformCallbackFailed",
	"AccessDenied",
	"ItemValueSizeTooLarge",
];

/** Whether a failed MemoryStore call may work when tried again, by the text it threw. An unknown text may. */
export function isRetryableMemoryError(reason: string): boolean {
	for (const code of FINAL_CODES) {
		const [found] = string.find(reason, code, 1, true);
		if (found !== undefined) return false;
	}
	return true;
}
