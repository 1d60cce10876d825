/** Timer, every 10 minutes: deletes rooms whose conference has ended. */
import type { GarbageCollection } from "../lib/deletion/collection.ts";
import type { TimerFunction } from "../lib/triggers.ts";

export const collectGarbage: TimerFunction<{ garbageCollection: GarbageCollection }> = {
  schedule: "0 */10 * * * *",
  run: async ({ garbageCollection }, log) => garbageCollection.collect(log),
};
