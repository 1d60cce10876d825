/** The marker: one line in a room's description with the room's state, its start, the claim and the settings used. */

/** The content of a marker line. */
export interface Marker {
  readonly state: "pooled" | "assigned";
  /** When the room entered this state, ISO 8601 in UTC. */
  readonly since: string;
  /** For an assigned room, the ID of the queue message that the claim received. */
  readonly messageId?: string | undefined;
  /** Fingerprint of the settings that the room was made with: 8 hex digits, or undefined for an older room. */
  readonly fingerprint?: string | undefined;
}

/** The platform's maximum length of a description, in characters. */
export const maxDescriptionCharacters = 250;

// state, since, message ID, fingerprint. A fingerprint is never taken for the ID of a message.
const markerLine =
  /^vmr-gateway (pooled|assigned) (\S+)(?: (?!f:[0-9a-f]{8}\s*$)(\S+))?(?: f:([0-9a-f]{8}))?\s*$/;

/** Returns the last marker in a description, on whichever line it is, or undefined if there is none. */
export function parseMarker(description: string | null | undefined): Marker | undefined {
  for (const line of (description ?? "").split(/\r?\n/).toReversed()) {
    const [, state, since, messageId, fingerprint] = markerLine.exec(line) ?? [];
    if (since) return { state: state === "assigned" ? "assigned" : "pooled", since, messageId, fingerprint };
  }
  return undefined;
}

/** Returns a description without its marker lines, as the API shows it. */
export function withoutMarker(description: string): string {
  const lines = description.split(/\r?\n/);
  return lines.some((line) => markerLine.test(line))
    ? lines.filter((line) => !markerLine.test(line)).join("\n")
    : description;
}

/**
 * Returns a description with its marker replaced. The fingerprint stays as it was, because a room keeps the settings
 * that it was made with. Text beyond the platform's limit is cut off at the end.
 */
export function withMarker(description: string | null | undefined, marker: Marker): string {
  const fingerprint = parseMarker(description)?.fingerprint ?? marker.fingerprint;
  const line = formatMarker({ ...marker, fingerprint });
  const fittingText = withoutMarker(description ?? "").slice(0, maxDescriptionCharacters - line.length - 1);
  // The platform cannot store half a surrogate pair.
  const text = fittingText.replace(/[\uD800-\uDBFF]$/, "");
  return text === "" ? line : `${text}\n${line}`;
}

/** Returns the marker line as it is stored. */
export function formatMarker({ state, since, messageId, fingerprint }: Marker): string {
  const settings = fingerprint === undefined ? [] : [`f:${fingerprint}`];
  return ["vmr-gateway", state, since, ...(messageId ? [messageId] : []), ...settings].join(" ");
}
