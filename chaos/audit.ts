/** The guarantees, checked against what queues, platform, callers and logs hold at the end; one line each. */
import { parseMarker } from "../src/lib/rooms/marker.ts";
import type { LaterRow } from "./day-later.ts";
import { countReasons, type LeakEvidence, reasonOf } from "./leaks.ts";
import { check, type Ledger, type Session } from "./ledger.ts";
import type { LogWatch } from "./log-watch.ts";
import type { PlatformRoom } from "./platform-view.ts";

export interface Line {
  readonly isOk: boolean;
  readonly text: string;
  readonly details?: readonly string[];
}

export interface Evidence extends LeakEvidence {
  readonly ledger: Ledger;
  readonly logs: LogWatch;
  readonly rooms: readonly PlatformRoom[];
  /** Texts of all messages. */
  readonly pool: readonly string[];
  readonly deletion: readonly string[];
  readonly poison: readonly string[];
  readonly row: LaterRow;
  readonly poolSize: number;
  readonly protectedRooms: readonly string[];
  readonly unexpectedAnswers: readonly string[];
}

// A claim whose discard failed leaves the room to a later one; after these events nobody may have it.
const givenUp = /^(?:room-discarded|claim-lost|room-leaked)\b/;

const none = (what: string, found: readonly string[]): Line => ({
  isOk: found.length === 0,
  text: `${found.length} ${what}`,
  details: found.slice(0, 10),
});

/** Each line says what was counted and whether that keeps the promise. */
export function audit(evidence: Evidence): Line[] {
  const { ledger, logs, rooms, pool, deletion, poison, protectedRooms } = evidence;
  const onPlatform = new Map(rooms.map((room) => [room.name, room]));
  for (const session of ledger.sessions) {
    if (session.state === "held") check(ledger, session, onPlatform.get(session.room ?? ""));
  }
  const held = roomsOf(ledger, ["held"]);
  const inUse = roomsOf(ledger, ["held", "ending"]).filter((room) => onPlatform.has(room));
  const handedOut = ledger.sessions.flatMap(({ room }) => room ?? []);
  const queued = [...pool, ...deletion];
  const undone = roomsOf(ledger, ["ended", "deleted"]).filter((room) => onPlatform.has(room));
  return [
    none("rooms handed out twice", [...repeated(handedOut), ...logs.claimedTwice()]),
    none("service tags on a room that another claim holds", ledger.wrongTags),
    none("rooms deleted while somebody held them", ledger.vanished),
    none(
      "rooms handed out and given up by their claim all the same",
      handedOut.filter((room) => logs.storyOf(room).some(({ text }) => givenUp.test(text))),
    ),
    none(
      "rooms both handed out and in a queue",
      held.filter((room) => queued.includes(room)),
    ),
    none("names more than once in the pool", repeated(pool)),
    none(
      "rooms still there, neither in use nor queued, after a confirmed end or delete",
      undone.filter((room) => !deletion.includes(room)),
    ),
    ...auditPlatform(evidence, inUse),
    none("poison messages", poison),
    none(
      "persistent or foreign rooms deleted",
      protectedRooms.filter((room) => !onPlatform.has(room)),
    ),
    none("answers outside the contract", evidence.unexpectedAnswers),
    none("unexpected errors in the logs", logs.surprises),
    none("log lines with a secret", logs.leakedSecrets),
  ];
}

/** Every room of ours is in a queue, in use, or counted as unaccounted, with a reason. */
function auditPlatform(evidence: Evidence, inUse: readonly string[]): Line[] {
  const { rooms, pool, deletion, row, poolSize } = evidence;
  const stateOf = ({ description }: PlatformRoom) => parseMarker(description)?.state;
  const ours = rooms.filter((room) => stateOf(room) !== undefined);
  const known = new Set([...pool, ...deletion, ...inUse]);
  const leaked = ours.filter(({ name }) => !known.has(name));
  const reasons = leaked.map((room) => ({ name: room.name, reason: reasonOf(room, evidence) }));
  const unexplained = reasons.filter(({ reason }) => reason === undefined).map(({ name }) => name);
  const claimable = new Set(rooms.filter((room) => stateOf(room) === "pooled").map(({ name }) => name));
  const hollow = pool.filter((name) => !claimable.has(name));
  const leakedOfPool = leaked.filter((room) => stateOf(room) === "pooled").length;
  // The metric compares numbers: until a claim weeds it out, a name without a room stands for a room without a name.
  const countable = leaked.length - leakedOfPool + Math.max(0, leakedOfPool - hollow.length);
  const where = `${pool.length} in the pool, ${deletion.length} to be deleted, ${inUse.length} in use`;
  return [
    {
      isOk: row.UnaccountedRooms === countable,
      text: `${ours.length} rooms: ${where}, ${leaked.length} unaccounted, of which the metric counts ${row.UnaccountedRooms}`,
      details: countReasons(reasons.map(({ reason }) => reason ?? "no reason found")),
    },
    none("unaccounted rooms without a reason", unexplained),
    {
      isOk: pool.length >= poolSize && pool.length <= 1.5 * poolSize,
      text: `${pool.length} names in the pool, whose size is ${poolSize}`,
    },
    {
      isOk: hollow.length <= 0.1 * poolSize,
      text: `${hollow.length} names in the pool without a claimable room`,
      details: hollow,
    },
  ];
}

/** Rooms that were handed out, by what their holders did with them. */
function roomsOf({ sessions }: Ledger, states: readonly Session["state"][]): string[] {
  return sessions.flatMap(({ state, room }) => (room !== undefined && states.includes(state) ? room : []));
}

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.has(name) || !seen.add(name));
}
