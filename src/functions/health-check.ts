/** GET /public/health: says that the service answers, and no more. */
import * as z from "zod";
import type { Clock } from "../lib/clock.ts";
import { json, noQuery, queryFunction } from "../lib/http/http-function.ts";

const Health = z
  .object({ status: z.literal("alive"), timestamp: z.iso.datetime() })
  .meta({ id: "Health", description: "The service answers" });

export const healthCheck = queryFunction({
  method: "GET",
  route: "public/health",
  access: "anyone",
  summary: "Tell that the service answers",
  description: "Asks nothing of the platform or the queues, and needs no credentials.",
  query: noQuery,
  answers: { 200: Health },
  failures: [],
  handle(_input, { clock }: { clock: Clock }) {
    return json(200, { status: "alive", timestamp: new Date(clock.now()).toISOString() });
  },
});
