/** GET /public/health: reports that the gateway is up, without calling a dependency. */
import * as z from "zod";
import { httpFunction } from "../lib/http/contract.ts";
import { type Clock, timestampOf } from "../lib/ports.ts";
import { build } from "../lib/version.ts";

const Health = z
  .object({ status: z.literal("alive"), timestamp: z.iso.datetime() })
  .meta({ id: "Health", description: "The health of the gateway" });

export const healthCheck = httpFunction({
  method: "GET",
  // Load balancers probe with HEAD.
  allowsHead: true,
  route: "public/health",
  access: "anyone",
  summary: "Check health",
  description:
    "Reports that the gateway is up. Does not contact the platform or the queues. " +
    "HEAD returns the same without the body.",
  responses: { 200: Health },
  failures: [],
  handle(_input, { clock }: { clock: Clock }) {
    const body = { status: "alive", timestamp: timestampOf(clock) };
    return { status: 200, body, headers: { "X-Build": build } };
  },
});
