/** The marker: one line in a room's description that names the gateway, the room's state, its start and the claim. */

/** The content of a marker line. */
export interface Marker {
  readonly state: "pooled" | "assigned";
  /** When the room entered this state, ISO 8601 in UTC. */
  readonly since: string;
  /** For an assigned room, the ID of the queue message that the claim received. */
  readonly messageId?: string | undefined;
}

/** The platform's maximum length of a description, in characters. */
export const maxDescriptionCharacters = 250;

const markerLine = /^vmr-gateway (pooled|assigned) (\S+)(?: (\S+))?\s*$/;

/** Returns the last marker in a description, on whichever line it is, or undefined if there is none. */
export function parseMarker(description: string | null | undefined): Marker | undefined {
  for (const line of (description ?? "").split(/\r?\n/).toReversed()) {
    const match = markerLine.exec(line);
    if (match?.[2]) {
      return { state: match[1] === "assigned" ? "assigned" : "pooled", since: match[2], messageId: match[3] };
    }
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

/** Returns a description with its marker replaced. Text beyond the platform's limit is cut off at the end. */
export function withMarker(description: string | null | undefined, marker: Marker): string {
  const line = formatMarker(marker);
  const fittingText = withoutMarker(description ?? "").slice(0, maxDescriptionCharacters - line.length - 1);
  // The platform cannot store half a surrogate pair.
  const text = fittingText.replace(/[\uD800-\uDBFF]$/, "");
  return text === "" ? line : `${text}\n${line}`;
}

/** Returns the marker line as it is stored. */
export function formatMarker({ state, since, messageId }: Marker): string {
  return ["vmr-gateway", state, since, ...(messageId ? [messageId] : [])].join(" ");
}
