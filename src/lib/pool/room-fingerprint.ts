/** The fingerprint of the settings that new rooms are made with. It tells rooms apart that were made with others. */
import { createHash } from "node:crypto";
import type { ConferenceFields } from "../platform/conferences.ts";

const hexDigits = 8;

/**
 * Returns 8 hex digits that depend on the content of the room template, on the host PIN's length and on its final `#`,
 * and neither on the order of the template's keys nor on the digits of the PIN.
 */
export function roomFingerprint(template: ConferenceFields, hostPin: string): string {
  const pinShape = hostPin.replace(/\d/g, "0");
  const text = JSON.stringify([template, pinShape], sortKeys);
  return createHash("sha256").update(text).digest("hex").slice(0, hexDigits);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
