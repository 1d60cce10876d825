/** Every command of `npm run ops`, in the order of the help. */
import type { CommandGroup } from "../operator-program.ts";
import { addDrain } from "./drain.ts";
import { addPlan } from "./plan.ts";
import { addFill, addShrink } from "./pool-size.ts";
import { addRecycle } from "./recycle.ts";
import { addRedrive } from "./redrive.ts";
import { addRoom, addRooms } from "./rooms.ts";
import { addDoctor, addStatus } from "./status.ts";
import { addUnaccounted } from "./unaccounted.ts";

export const commands: readonly CommandGroup[] = [
  {
    heading: "Commands that only read:",
    changesGateway: false,
    added: [addStatus, addDoctor, addRooms, addRoom, addPlan],
  },
  {
    heading: "Commands that change the gateway:",
    changesGateway: true,
    added: [addUnaccounted, addFill, addShrink, addRecycle, addDrain, addRedrive],
  },
];
