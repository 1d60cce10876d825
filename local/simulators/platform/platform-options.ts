/** The start options of a simulated platform. */
import * as z from "zod";
import { sinkSchema } from "./events/event-post.ts";

export const simulatorOptionsSchema = z.strictObject({
  username: z.string(),
  password: z.string(),
  /** Clients that may get bearer tokens, with their public ES256 key. */
  oauthClients: z.array(z.object({ clientId: z.string(), publicKeyPem: z.string() })).optional(),
  eventSink: sinkSchema.optional(),
  /** Ports of the Management API and of the control API. The default, 0, selects free ones. */
  port: z.int().optional(),
  controlPort: z.int().optional(),
  minPinLength: z.int().optional(),
  requestLimitPerMinute: z.int().nullable().optional(),
});

export type SimulatorOptions = z.input<typeof simulatorOptionsSchema> & {
  /** Returns numbers from 0 to 1, for shares and jitter. */
  random?: () => number;
  /** Milliseconds since 1970. */
  now?: () => number;
};
