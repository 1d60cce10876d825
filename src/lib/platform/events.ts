/** Reads what the platform's event sink sends: which rooms have ended, and which events name none. */
import { asRecord } from "./as-record.ts";

export interface SinkReading {
  /** Names of rooms whose conference has ended, each once. */
  readonly endedRooms: readonly string[];
  /** Kinds of the events that were not acted on. */
  readonly ignored: readonly string[];
  /** How many `conference_ended` events carried no usable name. */
  readonly unusable: number;
}

// These services are no rooms: https://docs.pexip.com/admin/event_sink.htm
const otherServices = new Set(["gateway", "two_stage_dialing", "test_call", "media_playback"]);
const maxNameCharacters = 250;

/** Reads one event or a bulk envelope. Never throws: what is odd is counted, as one bad event must not stop a sink. */
export function readEvents(body: Readonly<Record<string, unknown>>): SinkReading {
  const events = body["event"] === "eventsink_bulk" ? listOf(body["data"]) : [body];
  const endedRooms = new Set<string>();
  const ignored: string[] = [];
  let unusable = 0;
  for (const event of events) {
    const kind = asRecord(event)["event"];
    const fields = asRecord(asRecord(event)["data"]);
    if (kind !== "conference_ended" || otherServices.has(String(fields["service_type"]))) {
      ignored.push(typeof kind === "string" ? kind.slice(0, maxNameCharacters) : "unnamed");
      continue;
    }
    const name = isAbsent(fields["name"]) ? fields["conference"] : fields["name"];
    if (isUsableName(name)) endedRooms.add(name);
    else unusable += 1;
  }
  return { endedRooms: [...endedRooms], ignored, unusable };
}

/** A name the platform can have and the queue gives back unchanged: 1 to 250 characters, none that XML forbids or folds. */
export function isUsableName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    name.length >= 1 &&
    name.length <= maxNameCharacters &&
    name.isWellFormed() &&
    !/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/.test(name)
  );
}

function isAbsent(name: unknown): boolean {
  return name === undefined || name === null || name === "";
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
