import { games } from "./games";

export = games(4);
