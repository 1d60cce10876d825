/** `ops drain`: empties the pool and waits until no conference is running. */
import { queueForDeletion } from "../../../src/lib/pool/deletion-queue.ts";
import { wholeNumber } from "../../local/terminal/create-command.ts";
import type { Context, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { readRooms } from "../pool/room-views.ts";
import { takeOutWithProgress, waitFor } from "../pool/with-progress.ts";
import { type Platform, requirePlatform, type Target } from "../target/target.ts";
import { count } from "../terminal/format.ts";

// Rooms that are provisioned in the meantime are younger. The clocks of this machine and of the app differ by less.
const clockToleranceMilliseconds = 60_000;
const maxNamed = 10;

export function addDrain({ command, run }: Operator): void {
  command(
    "drain",
    "empties the pool and waits until no conference is running",
    "Before the platform is replaced or restored. Nobody is interrupted: rooms that were handed out stay until their " +
      "conference ends. Stop the consumers first, and set MAX_VMR to 0: otherwise each create that finds the pool empty " +
      "requests a room. For maintenance that keeps the rooms, --keep-pool only waits.",
  )
    .option("--yes", "Carries it out. Without this option, the command only says what it would do.")
    .option("--keep-pool", "Only waits until no conference is running, and changes nothing.")
    .option(
      "--timeout-minutes <n>",
      "How long to wait for conferences; 0 does not wait.",
      wholeNumber(0, 10_080),
      60,
    )
    .action(async (options) => run(options, async (context) => drain(options, context)));
}

interface DrainOptions {
  readonly yes?: true;
  readonly keepPool?: true;
  readonly timeoutMinutes: number;
}

async function drain({ yes, keepPool, timeoutMinutes }: DrainOptions, context: Context): Promise<Outcome> {
  const { terminal, connect } = context;
  const target = await connect();
  const platform = requirePlatform(target);
  if (!keepPool) {
    const [pooled, requested] = await Promise.all([
      target.queues.pool.count(),
      target.queues.provisioning.count(),
    ]);
    terminal.print(`The pool has ${count(pooled, "room")}, and ${requested} more are requested.`);
    const { maxRooms } = target.settings.pool;
    if (maxRooms > 0)
      terminal.print(
        `MAX_VMR is ${maxRooms}: set it to 0, or creates and POOL_MINIMUM will request new rooms.`,
      );
    if (!yes) {
      terminal.print(
        `Would delete ${count(pooled, "room")} and cancel ${count(requested, "request")}. Do it with --yes.`,
      );
      return "ok";
    }
    await target.queues.provisioning.clear();
    const outcome = await emptyPool(target, platform, pooled, context);
    if (outcome !== "ok") return outcome;
  }
  return awaitConferences(platform, timeoutMinutes, context);
}

/** Returns "ok" if the pool is empty afterwards. */
async function emptyPool(
  target: Target,
  platform: Platform,
  pooled: number,
  context: Context,
): Promise<Outcome> {
  const { terminal, stopping } = context;
  const retired = await takeOutWithProgress(target, platform, { amount: pooled, command: "drain" }, context);
  const emptyAt = Date.now();
  const [left, requested] = await Promise.all([
    target.queues.pool.count(),
    target.queues.provisioning.count(),
  ]);
  if (stopping.aborted) {
    terminal.print(`${count(retired, "room")} taken out; ${left} are still in the pool.`);
    return "interrupted";
  }
  if (left + requested > 0) {
    terminal.print(
      `${count(retired, "room")} taken out. ${left} names are leased or not ready yet, and ${requested} rooms are requested.`,
    );
    terminal.print("Run the command again in five minutes.");
    return "finding";
  }
  const stray = await queueStrayRooms(target, platform, emptyAt - clockToleranceMilliseconds);
  terminal.print(
    `The pool is empty. ${count(retired + stray, "room")} will be deleted by the garbage collection.`,
  );
  if (stray > 0) terminal.print(`Marked as pooled but in no queue: ${stray} of them.`);
  return "ok";
}

/** The pool is empty, so a room that is still marked as pooled afterwards is in no queue, and no claim can get it. */
async function queueStrayRooms(
  { queues, operatorId }: Target,
  platform: Platform,
  madeBefore: number,
): Promise<number> {
  const rooms = await readRooms(platform);
  const stray = rooms.filter(
    ({ marker }) => marker.state === "pooled" && Date.parse(marker.since) < madeBefore,
  );
  const by = { reason: "ops drain", operator: await operatorId() };
  for (const { name } of stray) await queueForDeletion(queues.deletion, { room: name, ...by });
  return stray.length;
}

async function awaitConferences(
  platform: Platform,
  timeoutMinutes: number,
  context: Context,
): Promise<Outcome> {
  const { terminal, stopping } = context;
  const live = async () => (await readRooms(platform)).filter(({ state }) => state === "live");
  const total = (await live()).length;
  const options = { label: "conferences ended", total, timeoutSeconds: timeoutMinutes * 60 };
  const isOver = await waitFor({ ...options, read: async () => total - (await live()).length }, context);
  if (isOver) {
    const assigned = (await readRooms(platform)).filter(({ state }) => state === "assigned").length;
    terminal.print("No conference is running in a room of the gateway.");
    if (assigned > 0)
      terminal.print(
        `${count(assigned, "room")} handed out and without a conference. List them: npm run ops -- rooms --state assigned`,
      );
    return "ok";
  }
  if (stopping.aborted) return "interrupted";
  const names = (await live()).map(({ name }) => name);
  terminal.print(
    `${count(names.length, "conference")} still running: ${names.slice(0, maxNamed).join(", ")}${names.length > maxNamed ? ", ..." : ""}`,
  );
  return "finding";
}
