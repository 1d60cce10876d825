/** Opens the queues of a local gateway. */
import { createCredential } from "../../../src/lib/azure/credential.ts";
import { openQueues } from "../../../src/lib/azure/storage-queue.ts";
import type { Queues } from "../../../src/lib/queue.ts";
import { bypassProxy } from "../../terminal/bypass-proxy.ts";

// A busy computer can stand still for seconds.
const patientSeconds = 60;

/** A call without a response fails after this time. */
export function openLocalQueues(connectionString: string, timeoutSeconds = patientSeconds): Queues {
  bypassProxy();
  const storage = { connectionString };
  return openQueues({ storage, credential: createCredential(storage), timeoutSeconds });
}
