import { BatonError } from "../../src/errors";
import { DataDriver } from "../../src/driver/dataDriver";
import { DriverOptions } from "../../src/driver/options";
import { Profile } from "../../src/driver/profile";
import { Server } from "../cloud/server";
import { World } from "../cloud/world";
import { Bag } from "./bag";

/** The data of the story's game. */
export interface GameData {
	readonly coins: number;
	/** What costs are measured with. */
	readonly bag?: Bag;
}

/** How a join ended, and at which virtual second. */
export type JoinAnswer = { readonly at: number } & (
	{ readonly profile: Profile<GameData> } | { readonly cause: BatonError }
);

/** A server with the story's game on it. */
export class GameServer {
	public readonly driver: DataDriver<GameData>;
	private readonly answers = new Map<Player, JoinAnswer>();

	public constructor(
		private readonly world: World,
		public readonly server: Server = world.startServer(),
		options: Partial<DriverOptions<GameData>> = {},
	) {
		this.driver = this.server.run(() => {
			const driver = new DataDriver<GameData>({
				name: "PlayerData",
				defaults: { coins: 0 },
				platform: this.server.platform,
				...options,
			});
			driver.onReady.connect((player, profile) => this.answer(player, { at: world.now(), profile }));
			driver.onLoadFailed.connect((player, cause) => this.answer(player, { at: world.now(), cause }));
			driver.attach();
			return driver;
		});
	}

	/** Lets the user in and yields until the profile is there or the session is over. */
	public join(userId: number): JoinAnswer & { readonly player: Player } {
		const player = this.server.join(userId);
		this.world.waitUntil(() => this.answers.has(player), 300);
		return { ...this.answers.get(player)!, player };
	}

	/** Joins again and again, `pause` seconds after each kick, until it works or `seconds` have passed; the last answer. */
	public joinUntilIn(userId: number, pause: number, seconds: number): JoinAnswer {
		const deadline = this.world.now() + seconds;
		for (;;) {
			const answer = this.join(userId);
			if ("profile" in answer || this.world.now() >= deadline) return answer;
			this.world.wait(pause);
		}
	}

	/** Adds coins to a profile of this server. */
	public earn(profile: Profile<GameData>, coins: number): void {
		this.server.run(() => profile.update((data) => ({ ...data, coins: data.coins + coins }))).unwrap();
		this.world.trace.note(this.server.name, `${profile.key} earns ${coins} coins`);
	}

	private answer(player: Player, answer: JoinAnswer): void {
		this.answers.set(player, answer);
		const what =
			"profile" in answer ? `is in, with ${answer.profile.data.coins} coins` : `is refused: ${answer.cause.type}`;
		this.world.trace.note(this.server.name, `${player.Name} ${what}`);
	}
}

/** The profile of a join that must have worked. */
export function joined(answer: JoinAnswer): Profile<GameData> {
	if ("cause" in answer) error(`the join failed: ${answer.cause}`, 2);
	return answer.profile;
}
