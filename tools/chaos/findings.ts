/** Checks a run: enough faults happened, and no promise of docs/architecture.md was broken. */
import { parseMarker } from "../../src/lib/pool/room.ts";
import type { PlatformRoom } from "./environment.ts";
import { checkHeldRoom, type Ledger, type Session } from "./load.ts";

export interface Finding {
  readonly isOk: boolean;
  /** The promise that is broken otherwise; `coverage` if the run was not hard enough. */
  readonly promise: "handed-out-twice" | "pool-level-wrong" | "undocumented-response" | "coverage";
  readonly text: string;
  readonly details?: readonly string[];
}

/** The faults that have happened. */
export interface Coverage {
  readonly kills: number;
  readonly outages: number;
  /** On the connection that met fewer. */
  readonly kindsOfFaults: number;
}

export interface Evidence extends Coverage {
  readonly ledger: Ledger;
  readonly rooms: readonly PlatformRoom[];
  /** The names in the pool and the visible ones in the deletion queue. */
  readonly pool: readonly string[];
  readonly deletion: readonly string[];
  readonly poisonMessages: number;
  readonly poolSize: number;
  readonly failedTurnoverClaims: number;
  readonly unexpectedResponses: readonly string[];
}

const minShareHandedOut = 0.25;
const minKindsOfFaults = 3;

/** Returns whether these faults are enough to prove anything. */
export function isEnough({ kindsOfFaults, kills, outages }: Coverage): boolean {
  return kindsOfFaults >= minKindsOfFaults && kills > 0 && outages > 0;
}

/** The coverage of the run, and one finding per promise, with its counts. */
export function auditRun(evidence: Evidence): Finding[] {
  const { ledger, rooms, pool, deletion, poolSize, kindsOfFaults, kills, outages } = evidence;
  const { sessions } = ledger;
  const onPlatform = new Map(rooms.map((room) => [room.name, room]));
  for (const session of sessions)
    if (session.isHeld) checkHeldRoom(ledger, session, onPlatform.get(session.room ?? ""));
  const handedOut = sessions.flatMap(({ room }) => room ?? []);
  const held = sessions.flatMap(({ isHeld, room }) => (isHeld && room ? room : []));
  const queued = new Set([...pool, ...deletion]);
  const isClaimable = (name: string) => parseMarker(onPlatform.get(name)?.description)?.state === "pooled";
  const withoutRoom = pool.filter((name) => !isClaimable(name));
  const isPoolFull = pool.length >= poolSize && pool.length <= 1.5 * poolSize;
  const count = (result: Session["result"]) => sessions.filter((session) => session.result === result).length;
  return [
    {
      isOk: count("handed-out") > sessions.length * minShareHandedOut,
      promise: "coverage",
      text: `${sessions.length} claims: ${count("handed-out")} handed out, ${count("refused")} refused, ${count("lost")} responses lost, ${count("not-sent")} not sent`,
    },
    {
      isOk: isEnough(evidence),
      promise: "coverage",
      text: `${kindsOfFaults} kinds of faults on each connection, ${kills} instances killed, ${outages} outages`,
    },
    none("handed-out-twice", "rooms handed out twice", repeated(handedOut)),
    none("handed-out-twice", "rooms with the service tag of another claim", ledger.wrongTags),
    none("handed-out-twice", "idempotency keys that gave two rooms", ledger.differentRooms),
    none("handed-out-twice", "rooms deleted while a caller held them", ledger.vanished),
    none(
      "handed-out-twice",
      "rooms both handed out and in a queue",
      held.filter((room) => queued.has(room)),
    ),
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
    none("undocumented-response", "undocumented responses", evidence.unexpectedResponses),
  ];
}

function none(promise: Finding["promise"], what: string, found: readonly string[]): Finding {
  return { isOk: found.length === 0, promise, text: `${found.length} ${what}`, details: found.slice(0, 10) };
}

function repeated(names: readonly string[]): string[] {
  const seen = new Set<string>();
  return names.filter((name) => seen.has(name) || !seen.add(name));
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
