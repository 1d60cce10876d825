/** The store of create records over memory. Each call can fail, before or after it was carried out. */
import { GatewayError } from "../../src/lib/errors.ts";
import type { CreateRecordStore } from "../../src/lib/ports.ts";
import type { PortCall, Ports } from "./faults.ts";

// As in src/lib/azure/blob-records.ts.
const timeoutSeconds = 3;

export function simulateRecords(store: CreateRecordStore, ports: Ports): CreateRecordStore {
  const call = async <Result>(operation: string, effect: PortCall<Result>["effect"]): Promise<Result> =>
    ports.call({
      label: () => `record ${operation}`,
      target: "storage",
      timeoutSeconds,
      effect,
      failure: () => new GatewayError("storage-unavailable", { retryAfterSeconds: 5 }),
    });
  return {
    read: async (id) => call(`read ${id.slice(0, 8)}`, async () => store.read(id)),
    write: async (id, record, replaced) =>
      call(`write ${id.slice(0, 8)} ${record.room}`, async () => store.write(id, record, replaced)),
    removeWrittenBefore: async (time, prefix) =>
      call(`removal ${prefix}`, async () => store.removeWrittenBefore(time, prefix)),
  };
}
