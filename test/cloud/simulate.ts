import { World, WorldOptions } from "./world";

/** Makes a world and runs `body` in it; see {@link World.run}. Returns the world, for a look at its trace. */
export function simulate(options: WorldOptions, body: (world: World) => void): World {
	const world = new World(options);
	world.run(() => body(world));
	return world;
}
