/** `ops recycle`: replaces pooled rooms that were made with other settings, a few at a time. */
import { setTimeout as delay } from "node:timers/promises";
import { createReplenishment } from "../../../src/lib/pool/replenishment.ts";
import { wholeNumber } from "../../local/terminal/create-command.ts";
import { createProgress } from "../../local/terminal/progress.ts";
import type { Context, Operator } from "../operator-program.ts";
import { type Outcome, UnreachableError, UsageError } from "../outcomes.ts";
import { type RoomView, readRooms } from "../pool/room-views.ts";
import { takeOut } from "../pool/with-progress.ts";
import { type Platform, requirePlatform, type Target } from "../target/target.ts";
import { count, deletionTime } from "../terminal/format.ts";

const pauseMilliseconds = 1000;
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
      "Never fewer ready rooms than this in the pool. Default: half of MAX_VMR.",
      wholeNumber(0, 10_000),
    )
    .option("--batch <n>", "How many rooms are replaced at once.", wholeNumber(1, 32), 3)
    .option(
      "--timeout-minutes <n>",
      "How long to wait for a new room before giving up.",
      wholeNumber(1, 1440),
      15,
    )
    .action(async (options) => run(options, async (context) => recycle(options, context)));
}

interface RecycleOptions {
  readonly yes?: true;
  readonly floor?: number;
  readonly batch: number;
  readonly timeoutMinutes: number;
}

async function recycle(options: RecycleOptions, context: Context): Promise<Outcome> {
  const { terminal, connect, stopping } = context;
  const target = await connect();
  const platform = requirePlatform(target);
  const fingerprint = await target.fingerprint();
  if (fingerprint === undefined)
    throw new UnreachableError(
      "The log of the last day does not say with which settings new rooms are made. Does the timer collectMetrics run?",
    );
  const { maxRooms } = target.settings.pool;
  const floor = options.floor ?? Math.ceil(maxRooms / 2);
  if (floor > maxRooms)
    throw new UsageError(`--floor ${floor} is more than MAX_VMR (${maxRooms}), so no room could be replaced`);
  const pool = await viewPool(target, platform, fingerprint);
  terminal.print(
    `The pool has ${count(pool.ready, "ready room")}; ${pool.outdated.size} of its rooms were made with other settings.`,
  );
  if (pool.outdated.size === 0) {
    terminal.print("There is nothing to do.");
    return "ok";
  }
  if (pool.ready <= floor) {
    terminal.print(`The floor is ${floor}, so none may be taken out. Fill the pool first, or lower --floor.`);
    return "finding";
  }
  if (!options.yes) {
    terminal.print(
      `Would replace ${count(pool.outdated.size, "room")}, ${options.batch} at a time, and keep ${floor} ready. Do it with --yes.`,
    );
    return "ok";
  }
  const plan = { ...options, floor, fingerprint, timeoutSeconds: options.timeoutMinutes * 60 };
  const left = await replaceAll(target, platform, plan, pool.outdated.size, context);
  const replaced = pool.outdated.size - left;
  terminal.print(
    `${count(replaced, "room")} replaced; the old ones will be deleted ${deletionTime(target.settings)}.`,
  );
  if (stopping.aborted) return "interrupted";
  if (left === 0) return "ok";
  terminal.print(
    `${count(left, "room")} with other settings remain: they are leased, in no queue (npm run ops -- unaccounted), or no ` +
      "new rooms arrive (docs/operations.md#provisioning-failing). It is safe to run the command again.",
  );
  return "finding";
}

interface PoolView {
  /** How many rooms can be handed out now. */
  readonly ready: number;
  readonly outdated: ReadonlySet<string>;
}

interface Plan {
  readonly floor: number;
  readonly batch: number;
  readonly fingerprint: string;
  readonly timeoutSeconds: number;
}

/** Returns how many outdated rooms remain. */
async function replaceAll(
  target: Target,
  platform: Platform,
  plan: Plan,
  total: number,
  context: Context,
): Promise<number> {
  const { terminal, stopping } = context;
  const progress = createProgress(terminal.progress, "rooms replaced", total);
  const { maxRooms, readyDelaySeconds } = target.settings.pool;
  let left = total;
  let waitSince = Date.now();
  let maxWaitSeconds = plan.timeoutSeconds;
  const replenishment = createReplenishment({ ...target.queues, maxRooms });
  progress.show(0);
  try {
    while (!stopping.aborted && Date.now() < waitSince + maxWaitSeconds * 1000) {
      const { ready, outdated } = await viewPool(target, platform, plan.fingerprint);
      left = outdated.size;
      if (left === 0) break;
      progress.show(Math.max(0, total - left));
      const spare = ready - plan.floor;
      const taking = {
        amount: Math.min(spare, plan.batch),
        command: "recycle",
        chosen: outdated,
        maxHeld: Math.max(0, spare - plan.batch),
        replenishment,
      };
      const retired = await takeOut(target, platform, taking, context);
      // Without a spare room, it waits for new ones; otherwise, for names that are invisible.
      maxWaitSeconds = spare <= 0 ? plan.timeoutSeconds : readyDelaySeconds + invisibleSlackSeconds;
      if (retired > 0) waitSince = Date.now();
      else await delay(pauseMilliseconds, undefined, { signal: stopping }).catch(() => undefined);
    }
  } finally {
    progress.show(Math.max(0, total - left));
    progress.end();
  }
  return left;
}

async function viewPool(target: Target, platform: Platform, fingerprint: string): Promise<PoolView> {
  const [rooms, depth] = await Promise.all([
    readRooms(platform, target.settings.rooms.gatewayName),
    target.queues.pool.count(),
  ]);
  const pooled = rooms.filter(({ state }) => state === "pooled");
  const readyBefore = Date.now() - target.settings.pool.readyDelaySeconds * 1000;
  const isReady = ({ marker }: RoomView): boolean => Date.parse(marker.since) <= readyBefore;
  const outdated = pooled.filter(({ marker }) => marker.fingerprint !== fingerprint);
  const ready = pooled.filter(isReady).length;
  const young = pooled.length - ready;
  return {
    // A room that is marked as pooled may be in no queue, and the depth includes the names of young rooms.
    ready: Math.max(0, Math.min(ready, depth - young)),
    outdated: new Set(outdated.map(({ name }) => name)),
  };
}
