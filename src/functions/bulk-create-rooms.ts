/** POST /room/bulk/: requests the rooms that the pool needs to reach a size. They are provisioned in the background. */
import * as z from "zod";
import { httpFunction } from "../lib/http/contract.ts";
import { laxInteger } from "../lib/http/validation.ts";
import type { Replenishment } from "../lib/pool/replenishment.ts";

const maxPoolSize = 10_000;

interface BulkCreateDependencies {
  readonly replenishment: Pick<Replenishment, "topUpTo">;
  readonly maxLevel: number;
}

export const bulkCreateRooms = httpFunction({
  method: "POST",
  route: "room/bulk/",
  access: "application",
  summary: "Create rooms in bulk",
  description:
    "Requests enough rooms to fill the pool to the level `max_vmr`, or to the configured level. " +
    "The rooms are provisioned in the background.",
  query: z.object({
    max_vmr: laxInteger.pipe(z.int().min(0).max(maxPoolSize)).optional().meta({
      description:
        "How many rooms the pool should have, pending requests included. Defaults to the configured level.",
      example: 50,
    }),
  }),
  responses: { 202: null },
  failures: ["storage-unavailable"],
  async handle({ query }, { replenishment, maxLevel }: BulkCreateDependencies, log) {
    const level = query.max_vmr ?? maxLevel;
    log.info("rooms-requested", { level, count: await replenishment.topUpTo(level) });
    return { status: 202 };
  },
});
