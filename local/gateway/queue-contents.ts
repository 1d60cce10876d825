// Looks into the queues of a gateway that runs on this computer, without changing them.
import "../process/bypass-proxy.ts";
import { type QueueClient, QueueServiceClient } from "@azure/storage-queue";
import { queueNames } from "../../src/lib/queues/queue-names.ts";
import { poll } from "../process/poll.ts";
import { createProgress, type Output } from "../terminal/progress.ts";
import type { Connection } from "./connection.ts";
import { orWhenMissing } from "./or-when-missing.ts";

/** As many messages as one look into a queue shows. */
export const maxSeen = 32;

const fillSeconds = 60;

/** Texts of the visible messages, `maxSeen` at most; none when the queue does not exist yet. */
export async function seenMessages(
  connection: Connection,
  queue: keyof typeof queueNames,
): Promise<string[]> {
  return orWhenMissing([], async () => {
    const { peekedMessageItems } = await open(connection, queue).peekMessages({ numberOfMessages: maxSeen });
    return peekedMessageItems.map(({ messageText }) => messageText);
  });
}

/** Resolves when no request for a room waits or is being worked on. Throws after 60 s. */
export async function untilNoRoomIsMade(connection: Connection, stopping?: AbortSignal): Promise<void> {
  const requests = async () =>
    (await open(connection, "provisioning").getProperties()).approximateMessagesCount ?? 0;
  await poll(async () => ((await orWhenMissing(0, requests)) === 0 ? true : undefined), {
    description: "the end of all requests for rooms",
    timeoutSeconds: fillSeconds,
    stopping,
  });
}

function open({ storageConnectionString }: Connection, queue: keyof typeof queueNames): QueueClient {
  return QueueServiceClient.fromConnectionString(storageConnectionString).getQueueClient(queueNames[queue]);
}

export interface WatchOptions {
  readonly output: Output;
  readonly indent?: string;
  readonly stopping?: AbortSignal;
}

/** Shows how the pool fills and resolves when so many rooms (`maxSeen` at most) can be claimed. Throws after 60 s. */
export async function watchPoolFill(
  connection: Connection,
  rooms: number,
  { output, indent, stopping }: WatchOptions,
): Promise<void> {
  const wanted = Math.min(rooms, maxSeen);
  const progress = createProgress(output, "rooms ready in the pool", wanted, indent);
  const options = { description: `${wanted} rooms in the pool`, timeoutSeconds: fillSeconds, stopping };
  try {
    await poll(async () => {
      const ready = (await seenMessages(connection, "pool")).length;
      progress.show(Math.min(ready, wanted));
      return ready >= wanted ? true : undefined;
    }, options);
  } finally {
    progress.end();
  }
}
