import { SeededRandom } from "../cloud/random";

/** How large a simulated game is. */
export interface GameSize {
	readonly users: number;
	readonly servers: number;
	readonly guilds: number;
	/** Virtual seconds for which it is played before it heals. */
	readonly seconds: number;
	/** Seconds at most between two things that happen. */
	readonly pace: number;
}

/** Most games are small and cheap, a few are large or long; rich ones have more servers and users. */
export function drawSize(random: SeededRandom, isRich: boolean): GameSize {
	if (isRich) return drawRichSize(random);
	const roll = random.fraction();
	const guilds = random.chance(0.7) ? random.integer(1, 3) : 0;
	if (roll < 0.55) {
		const seconds = random.between(20, 80);
		return {
			users: random.integer(2, 5),
			servers: random.integer(2, 3),
			guilds,
			seconds,
			pace: random.between(0.3, 2),
		};
	}
	if (roll < 0.92) {
		const seconds = random.between(40, 120);
		return {
			users: random.integer(4, 12),
			servers: random.integer(2, 4),
			guilds,
			seconds,
			pace: random.between(0.3, 1.5),
		};
	}
	if (roll < 0.97) {
		return {
			users: random.integer(3, 8),
			servers: random.integer(2, 4),
			guilds,
			seconds: 500,
			pace: random.between(1, 3),
		};
	}
	return {
		users: random.integer(20, 60),
		servers: random.integer(5, 8),
		guilds,
		seconds: 60,
		pace: random.between(0.1, 0.4),
	};
}

function drawRichSize(random: SeededRandom): GameSize {
	const guilds = random.chance(0.7) ? random.integer(1, 3) : 0;
	const roll = random.fraction();
	const size = (users: number, servers: number, seconds: number, pace: number): GameSize => ({
		users: random.integer(5, users),
		servers: random.integer(2, servers),
		guilds,
		seconds,
		pace,
	});
	if (roll < 0.6) return size(8, 3, random.between(20, 80), random.between(0.3, 2));
	if (roll < 0.9) return size(15, 5, random.between(40, 120), random.between(0.2, 1.5));
	if (roll < 0.95) return size(12, 4, 700, random.between(1, 3));
	return size(60, 8, 60, random.between(0.1, 0.4));
}
