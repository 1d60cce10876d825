/** `ops redrive`: moves requests from the poison queue back to the provisioning queue. */

import { parseJson } from "../../../src/lib/json.ts";
import { type ProvisioningRequest, provisioningRequest } from "../../../src/lib/pool/provisioning.ts";
import { deleteConfirmed, type Queue, type QueueMessage } from "../../../src/lib/ports.ts";
import { count } from "../../terminal/format.ts";
import type { Target } from "../gateway/target.ts";
import type { Context, Flags, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { withProgress } from "../terminal/terminal.ts";

// Longer than a run takes, so that it receives each message once.
const leaseSeconds = 60;

export function addRedrive({ command, run }: Operator): void {
  command(
    "redrive",
    "puts requests that the host gave up back into the provisioning queue",
    "Remove the cause first (docs/operations.md#provisioning-failing). A request that the pool no longer needs is dropped " +
      "when it is served, so the pool does not grow beyond MAX_VMR.",
  )
    .option("--yes", "Carries it out. Without this option, the command only says what it would do.")
    .option("--drop-unreadable", "Deletes messages that are not requests. Without this option, they stay.")
    .action(run(redrive));
}

async function redrive(options: Flags<"yes" | "dropUnreadable">, context: Context): Promise<Outcome> {
  const { terminal, connect, stopping } = context;
  const { yes = false, dropUnreadable } = options;
  const { print } = terminal;
  const target = await connect();
  const { poison } = target.queues;
  const depth = await poison.count();
  print(`${count(depth, "message")} in the poison queue.`);
  const counts = { requests: 0, dropped: 0, unreadable: 0 };
  const kept: QueueMessage[] = [];
  const handle = async (message: QueueMessage): Promise<void> => {
    const isRequest = provisioningRequest.safeParse(parseJson(message.text)).success;
    const kind = isRequest ? "requests" : yes && dropUnreadable ? "dropped" : "unreadable";
    if (!yes || kind === "unreadable") kept.push(message);
    else if (isRequest) await move(message, target);
    else await remove(message, poison);
    counts[kind] += 1;
  };
  try {
    await withProgress(terminal, "messages", depth, async (show) => {
      for (let handled = 1; handled <= depth && !stopping.aborted; handled++) {
        const [message] = await poison.receive(1, leaseSeconds);
        if (!message) return;
        await handle(message);
        show(handled);
      }
    });
  } finally {
    for (const message of kept) await poison.setInvisible(message, 0).catch(() => undefined);
  }
  const left = await poison.count();
  const { requests, dropped, unreadable } = counts;
  if (depth === 0) return "ok";
  const moved = count(requests, "request");
  const stay = unreadable > 0 ? ` ${unreadable} cannot be read as a request.` : "";
  const gone = dropped > 0 ? ` ${count(dropped, "unreadable message")} deleted.` : "";
  if (yes) print(`${moved} moved.${gone}`);
  else print(`Would move ${moved} back to the provisioning queue. Do it with --yes.${stay}`);
  if (stopping.aborted) return "interrupted";
  if (!yes) return "finding";
  if (unreadable > 0)
    print(
      `${count(unreadable, "message")} left that cannot be read as a request. --drop-unreadable deletes such messages.`,
    );
  if (left > unreadable)
    print(`${count(left - unreadable, "message")} leased by another run. Run the command again in a minute.`);
  return left === 0 ? "ok" : "finding";
}

/**
 * Puts the request back before it deletes the message: an interruption can duplicate a request but not lose one. A `bulk`
 * request is dropped when it is served if the pool is full.
 */
async function move(message: QueueMessage, { queues, settings }: Target): Promise<void> {
  const request: ProvisioningRequest = { reason: "bulk", upTo: settings.pool.maxRooms };
  await queues.provisioning.put(JSON.stringify(request));
  await remove(message, queues.poison);
}

async function remove(message: QueueMessage, poison: Queue): Promise<void> {
  const outcome = await deleteConfirmed(poison, message);
  if (outcome !== "deleted") throw new Error("a message could not be deleted from the poison queue");
}
