/** The create records in memory: passes the same contract suite as Azure Blob Storage (Azurite). */
import type { CreateRecord, CreateRecordStore } from "../../../src/lib/ports.ts";

export interface MemoryRecordStore extends CreateRecordStore {
  contents(): readonly CreateRecord[];
}

export function createMemoryRecordStore(): MemoryRecordStore {
  const stored = new Map<string, { record: CreateRecord; version: string }>();
  let versions = 0;
  return {
    read: async (id) => stored.get(id),
    async write(id, record, replaced) {
      if (stored.get(id)?.version !== replaced) return new Error("the record exists");
      versions += 1;
      stored.set(id, { record, version: String(versions) });
      return undefined;
    },
    contents: () => [...stored.values()].map(({ record }) => record),
  };
}
