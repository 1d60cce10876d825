/** `ops redrive`: moves requests from the poison queue back to the provisioning queue. */

import { type ProvisioningRequest, provisioningRequest } from "../../../src/lib/pool/provisioning.ts";
import { deleteConfirmed, type Queue, type QueueMessage, type Queues } from "../../../src/lib/ports.ts";
import { parseJson } from "../../simulators/process/parse-json.ts";
import { count } from "../../terminal/format.ts";
import type { Context, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { withProgress } from "../terminal/terminal.ts";

// Longer than the two calls that move a message may take.
const leaseSeconds = 15;

export function addRedrive({ command, run }: Operator): void {
  command(
    "redrive",
    "puts requests that the host gave up back into the provisioning queue",
    "Remove the cause first (docs/operations.md#provisioning-failing). A request that the pool no longer needs is dropped " +
      "when it is served, so the pool does not grow beyond MAX_VMR.",
  )
    .option("--yes", "Carries it out. Without this option, the command only says what it would do.")
    .option("--drop-unreadable", "Deletes messages that are not requests. Without this option, they stay.")
    .option("--json", "Prints one JSON object.")
    .action(run(redrive));
}

interface RedriveOptions {
  readonly yes?: true;
  readonly dropUnreadable?: true;
  readonly json?: true;
}

async function redrive(options: RedriveOptions, context: Context): Promise<Outcome> {
  const { terminal, connect, stopping } = context;
  const print = (line: string): void => {
    if (!options.json) terminal.print(line);
  };
  const { queues, settings } = await connect();
  const depth = await queues.poison.count();
  print(`${count(depth, "message")} in the poison queue.`);
  const work = options.yes && {
    queues,
    maxRooms: settings.pool.maxRooms,
    dropsUnreadable: options.dropUnreadable === true,
  };
  const result = depth === 0 ? nothing : await handleAll(queues.poison, work, depth, context);
  const left = await queues.poison.count();
  const { requests, dropped, unreadable } = result;
  if (options.json) terminal.print(JSON.stringify({ isDryRun: !options.yes, depth, ...result, left }));
  if (depth === 0) return "ok";
  if (!options.yes)
    print(
      `Would move ${count(requests, "request")} back to the provisioning queue. Do it with --yes.${unreadable > 0 ? ` ${unreadable} cannot be read as a request.` : ""}`,
    );
  else
    print(
      `${count(requests, "request")} moved.${dropped > 0 ? ` ${count(dropped, "unreadable message")} deleted.` : ""}`,
    );
  if (stopping.aborted) return "interrupted";
  if (!options.yes) return "finding";
  if (unreadable > 0)
    print(
      `${count(unreadable, "message")} left that cannot be read as a request. --drop-unreadable deletes such messages.`,
    );
  if (left > unreadable)
    print(`${count(left - unreadable, "message")} leased by another run. Run the command again in a minute.`);
  return left === 0 ? "ok" : "finding";
}

/** The work to do with the messages. */
interface Work {
  readonly queues: Queues;
  readonly maxRooms: number;
  readonly dropsUnreadable: boolean;
}

const nothing = { requests: 0, dropped: 0, unreadable: 0 };

/** Handles each message once, and counts them. Without `work`, it only counts. */
async function handleAll(
  poison: Queue,
  work: Work | undefined,
  depth: number,
  { terminal, stopping }: Context,
): Promise<typeof nothing> {
  const result = { ...nothing };
  const kept = new Map<string, QueueMessage>();
  try {
    await withProgress(terminal, "messages", depth, async (show) => {
      while (!stopping.aborted) {
        const [message] = await poison.receive(1, leaseSeconds);
        if (!message) return;
        const isSeenAgain = kept.has(message.id);
        const isRequest = provisioningRequest.safeParse(parseJson(message.text)).success;
        const kind = isRequest ? "requests" : work?.dropsUnreadable ? "dropped" : "unreadable";
        if (isSeenAgain || !work || kind === "unreadable") kept.set(message.id, message);
        else if (isRequest) await move(message, work);
        else await remove(message, poison);
        // Its lease has ended, so all other messages have been received, or can wait for the next run.
        if (isSeenAgain) return;
        result[kind] += 1;
        show(result.requests + result.dropped + result.unreadable);
      }
    });
  } finally {
    for (const message of kept.values()) await poison.setInvisible(message, 0).catch(() => undefined);
  }
  return result;
}

/**
 * Puts the request back before it deletes the message: an interruption can duplicate a request but not lose one. A `bulk`
 * request is dropped when it is served if the pool is full.
 */
async function move(message: QueueMessage, { queues, maxRooms }: Work): Promise<void> {
  const request: ProvisioningRequest = { reason: "bulk", upTo: maxRooms };
  await queues.provisioning.put(JSON.stringify(request));
  await remove(message, queues.poison);
}

async function remove(message: QueueMessage, poison: Queue): Promise<void> {
  const outcome = await deleteConfirmed(poison, message);
  if (outcome !== "deleted") throw new Error("a message could not be deleted from the poison queue");
}
