/** `ops recycle`: replaces pooled rooms that were made with other settings, a few at a time. */
import { createReplenishment } from "../../../src/lib/pool/replenishment.ts";
import { wholeNumber } from "../../terminal/create-command.ts";
import { count, deletionTime } from "../../terminal/format.ts";
import type { Context, Flags, Operator } from "../operator-program.ts";
import { type Outcome, UnreachableError, UsageError } from "../outcomes.ts";
import { type RoomView, readRooms } from "../pool/room-views.ts";
import { takeOut } from "../pool/with-progress.ts";
import { requirePlatform, type TargetWithPlatform } from "../target/target.ts";

/** How many rooms are replaced at once. */
const batch = 3;
/** How long it waits for a new room before it gives up. */
const newRoomSeconds = 900;
const invisibleSlackSeconds = 30;

export function addRecycle({ command, run }: Operator): void {
  command(
    "recycle",
    "replaces pooled rooms that were made with other settings, a few at a time",
    "Rooms that were handed out stay: only the pool is recycled. For each room that is taken out, the gateway makes a new " +
      "one. A new host PIN of the same length is not noticed: shrink the pool to 0 and fill it again.",
  )
    .option("--yes", "Carries it out. Without this option, the command only says what it would do.")
    .option(
      "--floor <n>",
      "The number of ready rooms that always stay in the pool. Default: half of MAX_VMR.",
      wholeNumber(0, 10_000),
    )
    .action(run(recycle));
}

async function recycle(
  options: Flags<"yes"> & { readonly floor?: number },
  context: Context,
): Promise<Outcome> {
  const { terminal, connect, stopping, conclude } = context;
  const target = requirePlatform(await connect());
  const fingerprint = await target.fingerprint();
  if (fingerprint === undefined)
    throw new UnreachableError(
      "The log of the last day does not say with which settings new rooms are made. Does the timer collectMetrics run?",
    );
  const { maxRooms } = target.settings.pool;
  const floor = options.floor ?? Math.ceil(maxRooms / 2);
  if (floor > maxRooms)
    throw new UsageError(`--floor ${floor} is more than MAX_VMR (${maxRooms}), so no room could be replaced`);
  const pool = await viewPool(target, fingerprint);
  terminal.print(
    `The pool has ${count(pool.ready, "ready room")}; ${pool.outdated.size} of its rooms were made with other settings.`,
  );
  if (pool.outdated.size === 0) return conclude("ok", "There is nothing to do.");
  const noSpare = `The floor is ${floor}, so none may be taken out. Fill the pool first, or lower --floor.`;
  if (pool.ready <= floor) return conclude("finding", noSpare);
  const atOnce = `${count(pool.outdated.size, "room")}, ${batch} at a time, and keep ${floor} ready`;
  if (!options.yes) return conclude("ok", `Would replace ${atOnce}. Do it with --yes.`);
  const { readyDelaySeconds } = target.settings.pool;
  const next = async () => {
    const { ready, outdated } = await viewPool(target, fingerprint);
    const spare = ready - floor;
    return {
      left: outdated.size,
      amount: Math.min(spare, batch),
      chooses: (room: string) => outdated.has(room),
      maxHeld: Math.max(0, spare - batch),
      // Without a spare room, it waits for new ones; otherwise, for names that are invisible.
      maxWaitSeconds: spare <= 0 ? newRoomSeconds : readyDelaySeconds + invisibleSlackSeconds,
    };
  };
  const replenishment = createReplenishment({ ...target.queues, maxRooms });
  const total = pool.outdated.size;
  const taking = { command: "recycle", replenishment, label: "rooms replaced", total, next };
  const { left } = await takeOut(target, taking, context);
  const replaced = total - left;
  terminal.print(
    `${count(replaced, "room")} replaced; the old ones will be deleted ${deletionTime(target.settings)}.`,
  );
  if (stopping.aborted) return "interrupted";
  if (left === 0) return "ok";
  return conclude(
    "finding",
    `${count(left, "room")} with other settings remain: they are leased, in no queue (npm run ops -- unaccounted), or no ` +
      "new rooms arrive (docs/operations.md#provisioning-failing). It is safe to run the command again.",
  );
}

async function viewPool(target: TargetWithPlatform, fingerprint: string) {
  const { readyDelaySeconds } = target.settings.pool;
  const [rooms, depth] = await Promise.all([readRooms(target), target.queues.pool.count()]);
  const pooled = rooms.filter(({ state }) => state === "pooled");
  const readyBefore = target.clock.now() - readyDelaySeconds * 1000;
  const isReady = ({ marker }: RoomView): boolean => Date.parse(marker.since) <= readyBefore;
  const young = pooled.filter((room) => !isReady(room)).length;
  const outdated = pooled.filter(({ marker }) => marker.fingerprint !== fingerprint);
  return {
    /** How many rooms can be handed out now. One that is marked as pooled may be in no queue; names can be of young rooms. */
    ready: Math.max(0, Math.min(pooled.length, depth) - young),
    outdated: new Set(outdated.map(({ name }) => name)),
  };
}
