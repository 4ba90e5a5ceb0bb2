/** What MemoryStoreService says with each of its codes; the others come without a text. */
const TEXTS = {
	InternalError: undefined,
	UnpublishedPlace: "You must publish this place to use MemoryStoreService.",
	InvalidExpirationTime: "The field 'expiration' time must be between 0 and 3,888,000.",
	InvalidRequest: "Unable to convert value to json.",
	TransformCallbackFailed: "Failed to invoke transformation callback function.",
	RequestThrottled: "Recent MemoryStores requests hit one or more limits.",
	UpdateConflict: "Exceeded max number of retries.",
	TotalMemoryOverLimit: undefined,
	ItemValueSizeTooLarge: undefined,
} as const;

/** The codes that the emulated service answers with. */
export type MemoryStoreCode = keyof typeof TEXTS;

/** The text that a call of a hash map throws. `call` is like `Update`. */
export function memoryStoreError(
	code: MemoryStoreCode,
	call: string,
	detail: string | undefined = TEXTS[code],
): string {
	return `MemoryStoreService: ${code}${detail !== undefined ? `: ${detail}` : ""}. API: HashMap.${call}`;
}
