/** Runs Azurite as a process of its own, with a clock that `POST /control/clock` moves: leases of hours end at once. */

import { z } from "zod";
import { serveUntilEnded } from "../local/process/serve-until-ended.ts";
import { startAzurite } from "../local/simulators/azurite.ts";
import { startLoopbackServer } from "../local/simulators/loopback-server.ts";
import { moveDate } from "./movable-date.ts";

const clockSchema = z.strictObject({ advanceSeconds: z.number() });

const azurite = await startAzurite();
const control = await startLoopbackServer(({ method, url, body }) => {
  if (method !== "POST" || url.pathname !== "/control/clock") return { status: 404 };
  moveDate(clockSchema.parse(JSON.parse(body.toString("utf8"))).advanceSeconds);
  return { status: 204 };
});
const { connectionString, queueServiceUrl } = azurite;
await serveUntilEnded({ connectionString, queueServiceUrl, controlUrl: control.url }, async () =>
  Promise.all([azurite.stop(), control.stop()]),
);
