import { SeededRandom } from "../cloud/random";

/** Draws the middle of everything, whoever draws and however often: where the order of calls is all that differs. */
export class EvenRandom extends SeededRandom {
	public override fraction(): number {
		return 0.5;
	}

	public override fork(): SeededRandom {
		return this;
	}
}
