/** POST /room/bulk/: fills the pool up to a level, in the background. */
import * as z from "zod";
import { empty, queryFunction } from "../lib/http/http-function.ts";
import { laxInteger } from "../lib/http/lax-schemas.ts";
import type { Replenishment } from "../lib/pool/replenishment.ts";

const maxRooms = 10_000;

export interface BulkCreateDependencies {
  readonly replenishment: Pick<Replenishment, "fillUpTo">;
  readonly maxRooms: number;
}

export const bulkCreateRooms = queryFunction({
  method: "POST",
  route: "room/bulk/",
  access: "application",
  summary: "Fill the pool",
  description: "Asks for as many rooms as the pool lacks of max_vmr, or of the configured maximum.",
  query: z.object({
    max_vmr: laxInteger
      .pipe(z.int().min(0).max(maxRooms))
      .optional()
      .meta({ description: "How many rooms the pool is to hold; the configured maximum unless given" }),
  }),
  answers: { 202: null },
  failures: ["storage-unavailable"],
  async handle({ query }, { replenishment, maxRooms }: BulkCreateDependencies, log) {
    const level = query.max_vmr ?? maxRooms;
    log.info("rooms-requested", { level, count: await replenishment.fillUpTo(level) });
    return empty(202);
  },
});
