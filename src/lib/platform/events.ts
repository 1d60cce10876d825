/** Reads the events that the platform's event sink sends. */

export interface SinkReading {
  /** Names of rooms whose conference has ended, without duplicates. */
  readonly endedRoomNames: readonly string[];
  /** Kinds of the ignored events. */
  readonly ignored: readonly string[];
  /** Number of `conference_ended` events without a usable name, and of bulk envelopes without a list. */
  readonly unusable: number;
}

// These services are not rooms: https://docs.pexip.com/admin/event_sink.htm
const otherServices: ReadonlySet<unknown> = new Set([
  "gateway",
  "two_stage_dialing",
  "test_call",
  "media_playback",
]);
const maxNameCharacters = 250;

/** Reads one event or a bulk envelope. Never throws: malformed events are counted, because one must not stop a sink. */
export function readEvents(body: Readonly<Record<string, unknown>>): SinkReading {
  const events: unknown = body["event"] === "eventsink_bulk" ? body["data"] : [body];
  if (!Array.isArray(events)) return { endedRoomNames: [], ignored: [], unusable: 1 };
  const endedRoomNames = new Set<string>();
  const ignored: string[] = [];
  let unusable = 0;
  for (const event of events) {
    const { event: kind, data } = asRecord(event);
    const fields = asRecord(data);
    if (kind !== "conference_ended" || otherServices.has(fields["service_type"])) {
      ignored.push(typeof kind === "string" ? kind.slice(0, maxNameCharacters) : "unnamed");
      continue;
    }
    const name = isMissing(fields["name"]) ? fields["conference"] : fields["name"];
    if (isUsableName(name)) endedRoomNames.add(name);
    else unusable++;
  }
  return { endedRoomNames: [...endedRoomNames], ignored, unusable };
}

/**
 * Returns whether a room can have this name and the queue returns it unchanged: 1 to 250 characters, without those
 * that XML forbids or normalises.
 */
function isUsableName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    name.length >= 1 &&
    Array.from(name).length <= maxNameCharacters &&
    name.isWellFormed() &&
    !/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/.test(name)
  );
}

function isMissing(name: unknown): boolean {
  return name === undefined || name === null || name === "";
}

/** Returns the properties of an untrusted value, or an empty record if it is not an object. */
function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" ? { ...value } : {};
}
