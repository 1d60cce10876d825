/** The start options of a simulated platform. */
import * as z from "zod";

export const simulatorOptionsSchema = z.strictObject({
  username: z.string(),
  password: z.string(),
  /** Clients that may get bearer tokens, with their public ES256 key. */
  oauthClients: z.array(z.object({ clientId: z.string(), publicKeyPem: z.string() })).optional(),
  minPinLength: z.int().optional(),
  requestLimitPerMinute: z.int().nullable().optional(),
});

export type SimulatorOptions = z.input<typeof simulatorOptionsSchema> & {
  /** Returns numbers from 0 to 1, for shares and jitter. */
  random?: () => number;
  /** Milliseconds since 1970. */
  now?: () => number;
};
