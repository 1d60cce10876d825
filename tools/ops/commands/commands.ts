/** Every command of `npm run ops`, in the order of the help. */
import type { CommandGroup } from "../operator-program.ts";
import { addDrain } from "./drain.ts";
import { addFill, addShrink } from "./pool-size.ts";
import { addRoom, addRooms } from "./rooms.ts";
import { addStatus } from "./status.ts";
import { addUnaccounted } from "./unaccounted.ts";
import { addUnmarked } from "./unmarked.ts";

export const commands: readonly CommandGroup[] = [
  {
    heading: "Commands that only read:",
    changesGateway: false,
    added: [addStatus, addRooms, addRoom],
  },
  {
    heading: "Commands that change the gateway:",
    changesGateway: true,
    added: [addUnaccounted, addFill, addShrink, addDrain, addUnmarked],
  },
];
