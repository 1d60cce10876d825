/** Every command of `npm run ops`, in the order of the help. */
import type { Command } from "./command.ts";
import { collect } from "./commands/collect.ts";
import { doctor } from "./commands/doctor.ts";
import { drain } from "./commands/drain.ts";
import { fill } from "./commands/fill.ts";
import { plan } from "./commands/plan.ts";
import { recycle } from "./commands/recycle.ts";
import { redrive } from "./commands/redrive.ts";
import { room } from "./commands/room.ts";
import { rooms } from "./commands/rooms.ts";
import { rotateSink } from "./commands/rotate-sink.ts";
import { shrink } from "./commands/shrink.ts";
import { status } from "./commands/status.ts";
import { token } from "./commands/token.ts";
import { unaccounted } from "./commands/unaccounted.ts";

export const commands: readonly Command[] = [
  status,
  doctor,
  rooms,
  room,
  unaccounted,
  fill,
  shrink,
  recycle,
  drain,
  collect,
  plan,
  redrive,
  rotateSink,
  token,
];
