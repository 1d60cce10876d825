/** Timer, every 10 minutes: deletes rooms whose conference has ended. */
import { timerFunction } from "../lib/http/triggers.ts";
import type { GarbageCollection } from "../lib/pool/collection.ts";

export const collectGarbage = timerFunction({
  schedule: "0 */10 * * * *",
  async run({ garbageCollection }: { garbageCollection: GarbageCollection }, log) {
    await garbageCollection.collect(log);
  },
});
