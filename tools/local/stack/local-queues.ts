/** Opens the queues of a local gateway. */
import { createCredential } from "../../../src/lib/azure/credential.ts";
import { openQueues } from "../../../src/lib/azure/storage-queue.ts";
import type { Queues } from "../../../src/lib/ports.ts";
import { bypassProxy } from "../../simulators/process/bypass-proxy.ts";

export function openLocalQueues(connectionString: string): Queues {
  bypassProxy();
  const storage = { connectionString };
  return openQueues({ storage, credential: createCredential(storage) });
}
