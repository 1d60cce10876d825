/** One post to the event sink, and the settings that govern it. */
import * as z from "zod";

const settingsSchema = z.strictObject({
  url: z.url(),
  username: z.string(),
  password: z.string(),
  bulk: z.boolean(),
  /** How long a bulk sink gathers events before a post. */
  bulkIntervalSeconds: z.number().min(0),
  timeoutSeconds: z.number().positive(),
  initialBackoffSeconds: z.number().positive(),
  maxBackoffSeconds: z.number().positive(),
  /** Share of the posts that are sent a second time although they were taken. */
  duplicateShare: z.number().min(0).max(1),
  /** New events go to a random place of the queue instead of its end. */
  shuffle: z.boolean(),
});

export type SinkSettings = z.output<typeof settingsSchema>;

export const sinkChangesSchema = settingsSchema.partial();
export const sinkSchema = sinkChangesSchema.extend({ url: z.url() });

const defaults: Omit<SinkSettings, "url"> = {
  username: "",
  password: "",
  bulk: false,
  bulkIntervalSeconds: 0.1,
  timeoutSeconds: 7,
  initialBackoffSeconds: 1,
  maxBackoffSeconds: 1800,
  duplicateShare: 0,
  shuffle: false,
};

/** Fills in the platform's defaults. Throws zod's error for settings that make no sink. */
export function sinkSettings(given: z.output<typeof sinkChangesSchema>): SinkSettings {
  return settingsSchema.parse({ ...defaults, ...given });
}

/**
 * Posts one body with Basic credentials (none when the user name is empty). True for a 2xx in time;
 * everything else, redirects included, is a failed attempt.
 */
export async function postEvent(
  body: unknown,
  settings: SinkSettings,
  closing: AbortSignal,
): Promise<boolean> {
  const { url, username, password, timeoutSeconds } = settings;
  const credentials = Buffer.from(`${username}:${password}`).toString("base64");
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(username === "" ? {} : { authorization: `Basic ${credentials}` }),
      },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: AbortSignal.any([closing, AbortSignal.timeout(timeoutSeconds * 1000)]),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
