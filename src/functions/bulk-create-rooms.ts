/** POST /room/bulk/: fills the pool up to a level, in the background. */
import * as z from "zod";
import { empty, httpFunction } from "../lib/http-function.ts";
import { laxInteger } from "../lib/lax-schemas.ts";
import type { Replenishment } from "../lib/pool/replenishment.ts";

const mostRooms = 10_000;

export interface BulkCreateNeeds {
  readonly replenishment: Pick<Replenishment, "fillUpTo">;
  readonly maximumRooms: number;
}

export const bulkCreateRooms = httpFunction({
  method: "POST",
  route: "room/bulk/",
  access: "application",
  summary: "Fill the pool",
  description: "Asks for as many rooms as the pool lacks of max_vmr, or of the configured maximum.",
  query: z.object({
    max_vmr: laxInteger
      .pipe(z.int().min(0).max(mostRooms))
      .optional()
      .meta({ description: "How many rooms the pool is to hold; the configured maximum unless given" }),
  }),
  answers: { 202: null },
  failures: ["storage-unavailable"],
  async handle({ query }, { replenishment, maximumRooms }: BulkCreateNeeds, log) {
    const level = query.max_vmr ?? maximumRooms;
    log.info("rooms-requested", { level, count: await replenishment.fillUpTo(level) });
    return empty(202);
  },
});
