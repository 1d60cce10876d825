/** Timer, every 10 minutes: deletes rooms whose conference has ended. */
import type { GarbageCollection } from "../lib/pool/garbage.ts";
import { timerFunction } from "../lib/triggers.ts";

export const collectGarbage = timerFunction({
  schedule: "0 */10 * * * *",
  async run({ garbageCollection }: { garbageCollection: GarbageCollection }, log) {
    await garbageCollection.collect(log);
  },
});
