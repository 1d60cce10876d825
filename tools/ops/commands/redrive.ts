/** `ops redrive`: puts the requests of the poison queue back to work. */

import { decodeProvisioningRequest, encodeProvisioningRequest } from "../../../src/lib/pool/replenishment.ts";
import { deleteConfirmed, type Queue, type QueueMessage, type Queues } from "../../../src/lib/ports.ts";
import { parseJson } from "../../local/process/parse-json.ts";
import { createProgress } from "../../local/terminal/progress.ts";
import { type Context, defineCommand } from "../command.ts";
import { flag, yes } from "../options.ts";
import { count } from "../terminal/format.ts";

// Longer than the two calls that move a message may take.
const leaseSeconds = 15;

export const redrive = defineCommand({
  name: "redrive",
  summary: "puts requests that the host gave up back into the provisioning queue",
  details: [
    "Remove the cause first (docs/operations.md#provisioning-failing). A request that the pool no longer needs is dropped",
    "when it is served, so the pool does not grow beyond MAX_VMR.",
  ],
  options: { yes, "drop-unreadable": flag("deletes messages that are no requests; without it, they stay") },
  run: async ({ options }, context) => {
    const { terminal, connect, stopping } = context;
    const target = await connect();
    const { poison } = target.queues;
    const depth = await poison.count();
    terminal.print(`${count(depth, "message")} in the poison queue.`);
    if (depth === 0) return "ok";
    if (!options.yes) {
      terminal.print("Would move them back to the provisioning queue. Do it with --yes.");
      return "finding";
    }
    const { maxRooms } = target.settings.pool;
    const { moved, dropped, unreadable } = await moveAll(
      target.queues,
      depth,
      maxRooms,
      options["drop-unreadable"],
      context,
    );
    terminal.print(
      `${count(moved, "request")} moved.${dropped > 0 ? ` ${count(dropped, "unreadable message")} deleted.` : ""}`,
    );
    if (stopping.aborted) return "interrupted";
    const left = await poison.count();
    if (unreadable > 0)
      terminal.print(
        `${count(unreadable, "message")} left that cannot be read as a request. --drop-unreadable deletes such messages.`,
      );
    if (left > unreadable)
      terminal.print(
        `${count(left - unreadable, "message")} leased by another run. Run the command again in a minute.`,
      );
    return left === 0 ? "ok" : "finding";
  },
});

interface Moved {
  moved: number;
  dropped: number;
  unreadable: number;
}

async function moveAll(
  queues: Queues,
  depth: number,
  maxRooms: number,
  dropsUnreadable: boolean,
  { terminal, stopping }: Context,
): Promise<Moved> {
  const progress = createProgress(terminal.progress, "messages", depth);
  const result = { moved: 0, dropped: 0, unreadable: 0 };
  const kept = new Map<string, QueueMessage>();
  progress.show(0);
  try {
    while (!stopping.aborted) {
      const [message] = await queues.poison.receive(1, leaseSeconds);
      if (!message) break;
      // Its lease has ended: everything behind it has been received, or can wait for the next run.
      if (kept.has(message.id)) {
        kept.set(message.id, message);
        break;
      }
      if (decodeProvisioningRequest(parseJson(message.text))) {
        await moveOne(queues, message, maxRooms);
        result.moved += 1;
      } else if (dropsUnreadable) {
        await deleteFrom(queues.poison, message);
        result.dropped += 1;
      } else {
        kept.set(message.id, message);
        result.unreadable += 1;
      }
      progress.show(result.moved + result.dropped + result.unreadable);
    }
  } finally {
    for (const message of kept.values()) await queues.poison.setInvisible(message, 0).catch(() => undefined);
    progress.end();
  }
  return result;
}

/**
 * The request goes back before its message is deleted: an interruption between the two leaves a request too many, and
 * none too few. As a `bulk` request it is dropped if the pool is full by then, as any retried request is.
 */
async function moveOne(
  { poison, provisioning }: Queues,
  message: QueueMessage,
  maxRooms: number,
): Promise<void> {
  await provisioning.put(encodeProvisioningRequest({ reason: "bulk", upTo: maxRooms }));
  await deleteFrom(poison, message);
}

async function deleteFrom(poison: Queue, message: QueueMessage): Promise<void> {
  const outcome = await deleteConfirmed(poison, message);
  if (outcome !== "deleted") throw new Error("a message could not be deleted from the poison queue");
}
