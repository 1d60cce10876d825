/** `ops redrive`: moves requests from the poison queue back to the provisioning queue. */

import { parseJson } from "../../../src/lib/json.ts";
import { type ProvisioningRequest, provisioningRequest } from "../../../src/lib/pool/provisioning.ts";
import { deleteConfirmed, type QueueMessage } from "../../../src/lib/queue.ts";
import { count } from "../../terminal/format.ts";
import type { Target } from "../gateway/target.ts";
import type { Context, Flags, Operator } from "../operator-program.ts";
import type { Outcome } from "../outcomes.ts";
import { withProgress } from "../terminal.ts";

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
    .action(run(redrive));
}

async function redrive({ yes }: Flags<"yes">, context: Context): Promise<Outcome> {
  const { terminal, connect, stopping } = context;
  const { print } = terminal;
  const target = await connect();
  const { poison } = target.queues;
  const depth = await poison.count();
  print(`${count(depth, "message")} in the poison queue.`);
  if (depth === 0) return "ok";
  if (!yes) {
    print("Would move the requests among them back to the provisioning queue. Do it with --yes.");
    return "finding";
  }
  let moved = 0;
  const kept: QueueMessage[] = [];
  try {
    await withProgress(terminal, "messages", depth, async (show) => {
      for (let handled = 1; handled <= depth && !stopping.aborted; handled++) {
        const [message] = await poison.receive(1, leaseSeconds);
        if (!message) return;
        if (provisioningRequest.safeParse(parseJson(message.text)).success) {
          await move(message, target);
          moved += 1;
        } else kept.push(message);
        show(handled);
      }
    });
  } finally {
    for (const message of kept) await poison.setInvisible(message, 0).catch(() => undefined);
  }
  print(`${count(moved, "request")} moved.`);
  if (stopping.aborted) return "interrupted";
  const left = await poison.count();
  if (left === 0) return "ok";
  print(`${count(left, "message")} left, because they are not requests, or another run has leased them.`);
  return "finding";
}

/**
 * Puts the request back before it deletes the message: an interruption can duplicate a request but not lose one. A `bulk`
 * request is dropped when it is served if the pool is full.
 */
async function move(message: QueueMessage, { queues, settings }: Target): Promise<void> {
  const request: ProvisioningRequest = { reason: "bulk", upTo: settings.pool.maxLevel };
  await queues.provisioning.put(JSON.stringify(request));
  const outcome = await deleteConfirmed(queues.poison, message);
  if (outcome !== "deleted") throw new Error("a message could not be deleted from the poison queue");
}
