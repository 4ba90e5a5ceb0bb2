const MODULUS = 2147483647;
const MULTIPLIER = 48271;

/**
 * A seeded random source (the minimal standard generator, exact in doubles). One world has one seed; each purpose
 * forks its own stream off it, so that one more draw in one place does not shift every other.
 */
export class SeededRandom {
	private state: number;

	public constructor(private readonly seed: number) {
		// Neighbouring seeds start far apart.
		this.state = ((math.abs(math.floor(seed)) + 1) * 7919) % MODULUS;
		if (this.state === 0) this.state = 1;
		for (let round = 0; round < 8; round++) this.fraction();
	}

	/** A number in [0, 1). */
	public fraction(): number {
		this.state = (this.state * MULTIPLIER) % MODULUS;
		return (this.state - 1) / (MODULUS - 1);
	}

	/** A number in [low, high). */
	public between(low: number, high: number): number {
		return low + (high - low) * this.fraction();
	}

	/** An integer from `low` to `high`, both included. */
	public integer(low: number, high: number): number {
		return low + math.floor(this.fraction() * (high - low + 1));
	}

	/** True with the given probability. */
	public chance(probability: number): boolean {
		return this.fraction() < probability;
	}

	/** A stream of its own for `purpose`, the same one for the same seed. */
	public fork(purpose: string): SeededRandom {
		let mixed = math.abs(math.floor(this.seed)) % MODULUS;
		for (const [byte] of purpose.gmatch(".")) mixed = (mixed * 31 + string.byte(byte as string)[0]) % MODULUS;
		return new SeededRandom(mixed);
	}

	/** A version 4 GUID in lower case. */
	public guid(): string {
		const digits = (count: number): string => {
			let text = "";
			for (let index = 0; index < count; index++) text += string.format("%x", this.integer(0, 15));
			return text;
		};
		const variant = string.format("%x", this.integer(8, 11));
		return `${digits(8)}-${digits(4)}-4${digits(3)}-${variant}${digits(3)}-${digits(12)}`;
	}
}
