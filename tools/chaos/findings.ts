/** Checks a run: enough faults happened, and no promise of docs/architecture.md was broken. */
import { parseMarker } from "../../src/lib/pool/room.ts";
import type { LogWatch } from "./log-watch.ts";
import type { PlatformRoom } from "./platform-view.ts";
import { checkHeldRoom, type Ledger, type Session } from "./sessions.ts";

/** The promises of docs/architecture.md that a run of real processes can show to be broken. */
type PromiseName =
  | "handed-out-twice"
  | "pool-level-wrong"
  | "protected-room-deleted"
  | "undocumented-response"
  | "secret-exposed";

export interface Finding {
  readonly isOk: boolean;
  /** The promise that is broken otherwise; `coverage` if the run was not hard enough. */
  readonly promise: PromiseName | "coverage";
  readonly text: string;
  readonly details?: readonly string[];
}

export interface Evidence {
  readonly ledger: Ledger;
  readonly logs: LogWatch;
  readonly rooms: readonly PlatformRoom[];
  /** The names in the pool and the visible ones in the deletion queue. */
  readonly pool: readonly string[];
  readonly deletion: readonly string[];
  readonly poisonMessages: number;
  readonly poolSize: number;
  readonly failedTurnoverClaims: number;
  readonly protectedRooms: readonly string[];
  readonly unexpectedResponses: readonly string[];
  readonly kills: number;
  readonly outages: number;
  /** On the connection that met fewer. */
  readonly kindsOfFaults: number;
}

/** What the run covered, and one finding per promise, with what was counted. */
export function auditRun(evidence: Evidence): Finding[] {
  const { ledger, logs, rooms, pool, deletion, poolSize } = evidence;
  const onPlatform = new Map(rooms.map((room) => [room.name, room]));
  for (const session of ledger.sessions) {
    if (session.state === "held") checkHeldRoom(ledger, session, onPlatform.get(session.room ?? ""));
  }
  const handedOut = ledger.sessions.flatMap(({ room }) => room ?? []);
  const held = ledger.sessions.flatMap(({ state, room }) => (state === "held" && room ? room : []));
  const queued = new Set([...pool, ...deletion]);
  const twice = [...repeated(handedOut), ...logs.claimedTwice()];
  const givenUp = handedOut.filter((room) => logs.givenUp.has(room));
  const stillQueued = held.filter((room) => queued.has(room));
  const isClaimable = (name: string) => parseMarker(onPlatform.get(name)?.description)?.state === "pooled";
  const withoutRoom = pool.filter((name) => !isClaimable(name));
  const deleted = evidence.protectedRooms.filter((room) => !onPlatform.has(room));
  const isPoolFull = pool.length >= poolSize && pool.length <= 1.5 * poolSize;
  return [
    ...checkCoverage(evidence),
    none("handed-out-twice", "rooms handed out twice", twice),
    none("handed-out-twice", "rooms with the service tag of another claim", ledger.wrongTags),
    none("handed-out-twice", "idempotency keys that gave two rooms", ledger.differentRooms),
    none("handed-out-twice", "rooms deleted while a caller held them", ledger.vanished),
    none("handed-out-twice", "rooms handed out although their claim gave them up", givenUp),
    none("handed-out-twice", "rooms both handed out and in a queue", stillQueued),
    none("handed-out-twice", "names twice in the pool", repeated(pool)),
    {
      isOk: isPoolFull && withoutRoom.length <= 0.1 * poolSize,
      promise: "pool-level-wrong",
      text: `${pool.length} names in the pool of ${poolSize}, ${withoutRoom.length} of them without a claimable room`,
      details: withoutRoom,
    },
    {
      isOk: evidence.failedTurnoverClaims === 0 && evidence.poisonMessages === 0,
      promise: "pool-level-wrong",
      text: `${evidence.failedTurnoverClaims} claims failed after the faults, ${evidence.poisonMessages} poison messages`,
    },
    none("protected-room-deleted", "persistent or foreign rooms deleted", deleted),
    none("undocumented-response", "undocumented responses", evidence.unexpectedResponses),
    none("undocumented-response", "unexpected errors logged", logs.unexpectedErrors),
    none("secret-exposed", "log lines with a secret", logs.linesWithSecrets),
  ];
}

function none(promise: PromiseName, what: string, found: readonly string[]): Finding {
  return { isOk: found.length === 0, promise, text: `${found.length} ${what}`, details: found.slice(0, 10) };
}

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.has(name) || !seen.add(name));
}

const minShareHandedOut = 0.25;
const minKindsOfFaults = 3;

/** Finds whether enough rooms were handed out, and enough faults, kills and outages caused, to prove anything. */
function checkCoverage({ ledger, kills, outages, kindsOfFaults }: Evidence): Finding[] {
  const count = (result: Session["result"]) =>
    ledger.sessions.filter((session) => session.result === result).length;
  const sent = ledger.sessions.length;
  const handedOut = count("handed-out");
  return [
    {
      isOk: sent > 0 && handedOut >= sent * minShareHandedOut,
      promise: "coverage",
      text: `${sent} claims: ${handedOut} handed out, ${count("refused")} refused, ${count("lost")} responses lost, ${count("not-sent")} not sent`,
    },
    {
      isOk: kindsOfFaults >= minKindsOfFaults && kills > 0 && outages > 0,
      promise: "coverage",
      text: `${kindsOfFaults} kinds of faults on each connection, ${kills} instances killed, ${outages} outages, ${ledger.bulkDeletes.length} bulk deletes`,
    },
  ];
}

/** Returns one line per finding, with the details indented below it. */
export function describeFindings(findings: readonly Finding[]): string {
  return findings
    .flatMap(({ isOk, promise, text, details = [] }) => [
      `${isOk ? "ok  " : "FAIL"} ${promise.padEnd(22)} ${text}`,
      ...details.map((detail) => `       ${detail}`),
    ])
    .join("\n");
}
