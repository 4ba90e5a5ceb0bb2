/** Virtual seconds a second; the slow one is for what is over within a second. */
export const speeds = [0.25, 1, 4, 16] as const;

export type Speed = (typeof speeds)[number];

export function isSpeed(value: number): value is Speed {
	return speeds.some((speed) => speed === value);
}
