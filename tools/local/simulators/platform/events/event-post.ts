/** Posts to the event sink, and the sink's settings. */
import * as z from "zod";

const settingsSchema = z.strictObject({
  url: z.url(),
  username: z.string(),
  password: z.string(),
  timeoutSeconds: z.number().positive(),
  initialBackoffSeconds: z.number().positive(),
  maxBackoffSeconds: z.number().positive(),
});

export type SinkSettings = z.output<typeof settingsSchema>;

export const sinkChangesSchema = settingsSchema.partial();

const defaults: Omit<SinkSettings, "url"> = {
  username: "",
  password: "",
  timeoutSeconds: 7,
  initialBackoffSeconds: 1,
  maxBackoffSeconds: 1800,
};

/** Applies the platform's defaults. Throws a ZodError if the settings are invalid. */
export function sinkSettings(given: z.output<typeof sinkChangesSchema>): SinkSettings {
  return settingsSchema.parse({ ...defaults, ...given });
}

/**
 * Posts one body with Basic credentials (none if the user name is empty). Returns true for a 2xx within the timeout;
 * everything else, including redirects, is a failed attempt.
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
