/** The load: callers that claim rooms, use them, and end or delete them. The ledger holds what the callers know. */
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import type { QueueContents } from "../local/stack/queue-contents.ts";
import { poll } from "../simulators/process/poll.ts";
import type { SeededRandom } from "../simulators/process/seeded-random.ts";
import type { Environment, PlatformRoom } from "./environment.ts";
import type { GatewayCalls, Outcome } from "./gateway-calls.ts";

export interface Session {
  /** The claim's service tag, which no other claim uses. */
  readonly tag: string;
  result: "handed-out" | "refused" | "lost" | "not-sent" | "waiting";
  room?: string;
  /** Whether the caller still has the room: neither an end nor a delete was sent. */
  isHeld: boolean;
}

export interface Ledger {
  readonly sessions: Session[];
  /** Rooms whose tag was not that of the claim that held them. */
  readonly wrongTags: string[];
  /** Idempotency keys that gave two rooms. */
  readonly differentRooms: string[];
  /** Rooms that were deleted while a caller held them. */
  readonly vanished: string[];
}

export interface Load {
  readonly calls: GatewayCalls;
  readonly environment: Environment;
  readonly ledger: Ledger;
  readonly random: SeededRandom;
}

export interface LoadOptions {
  readonly claims: number;
  /** Returns whether enough faults have happened. Until then, callers continue beyond `claims`. */
  readonly isCovered: () => boolean;
  readonly maxLoadSeconds: number;
  readonly print: (text: string) => void;
}

// Each caller claims one room after the other; sessions continue during later claims.
const callers = 20;
const claimsPerReport = 100;
const maxUseSeconds = 3;
const maxRepeats = 2;
const maxAttempts = 60;
const restTimeoutSeconds = 90;
const maxAttemptsPerTurnoverClaim = 30;
const createdSchema = z.object({ name: z.string(), tag: z.string() });

/** Sends at least this many claims, or fewer if time runs out, and resolves when all sessions are over. */
export async function runLoad(load: Load, options: LoadOptions): Promise<void> {
  const { random, ledger } = load;
  const { claims, isCovered, maxLoadSeconds, print } = options;
  const uses: Promise<void>[] = [];
  const until = performance.now() + maxLoadSeconds * 1000;
  let sent = 0;
  const runCaller = async (): Promise<void> => {
    while ((sent < claims || !isCovered()) && performance.now() < until) {
      sent += 1;
      if (sent % claimsPerReport === 0) {
        const handedOut = ledger.sessions.filter(({ result }) => result === "handed-out").length;
        print(`${sent} claims sent, ${handedOut} rooms handed out`);
      }
      const session = await claim(load, `${sent}-${random.integerBelow(1e9)}`);
      if (session.room !== undefined) uses.push(useRoom(load, session, session.room));
      const pauseSeconds = session.result === "refused" ? random.between(0.5, 2) : random.between(0, 0.5);
      await delay(pauseSeconds * 1000);
    }
  };
  await Promise.all(Array.from({ length: callers }, runCaller));
  await Promise.all(uses);
}

/** Sends one claim and records its result. */
async function claim({ calls, ledger }: Load, name: string): Promise<Session> {
  const tag = `https://verify.example.com/sessions/chaos-${name}`;
  const session: Session = { tag, result: "waiting", isHeld: true };
  ledger.sessions.push(session);
  // Half of the claims have a key. Those repeat a create whose response was lost, as a client would.
  const key = ledger.sessions.length % 2 === 0 ? `chaos-${name}` : undefined;
  const isRepeatedAnyway = key !== undefined && ledger.sessions.length % 10 === 0;
  let outcome = await calls.create(tag, key);
  for (let repeat = 1; key !== undefined && outcome === "lost" && repeat <= maxRepeats; repeat++)
    outcome = await calls.create(tag, key);
  if (typeof outcome === "string") {
    session.result = outcome;
  } else if (outcome.status === 200) {
    const created = createdSchema.parse(outcome.body);
    session.result = "handed-out";
    session.room = created.name;
    if (created.tag !== tag) ledger.wrongTags.push(`${created.name}: the response has another tag`);
    const again = isRepeatedAnyway ? await calls.create(tag, key) : "not-sent";
    const repeated = typeof again === "object" ? createdSchema.safeParse(again.body).data : undefined;
    if (repeated && repeated.name !== created.name)
      ledger.differentRooms.push(`${created.name} and ${repeated.name}`);
  } else {
    session.result = "refused";
  }
  return session;
}

/** Uses a room, checks it, and then ends its conference, deletes it, or keeps it. */
async function useRoom(load: Load, session: Session, room: string): Promise<void> {
  const { random, calls, environment, ledger } = load;
  const use = random.next();
  const seconds = random.next() * maxUseSeconds;
  await delay(seconds * 1000);
  checkHeldRoom(ledger, session, await environment.find(room));
  if (use >= 0.85) return;
  session.isHeld = false;
  if (use < 0.35) {
    await retryUntil(async () => calls.end(room), [204]);
    // A second conferencing node reports the same end.
    if (random.chance(0.1)) await calls.end(room);
  } else await retryUntil(async () => calls.delete(room), [204, 404]);
}

async function retryUntil(send: () => Promise<Outcome>, accepted: readonly number[]): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const outcome = await send();
    if (typeof outcome === "object" && accepted.includes(outcome.status)) return;
    await delay(250);
  }
}

/** Compares a held room with the platform's view of it and records differences. */
export function checkHeldRoom(ledger: Ledger, { room, tag }: Session, found: PlatformRoom | undefined): void {
  if (room === undefined) return;
  if (found === undefined) ledger.vanished.push(room);
  else if (found.tag !== tag) ledger.wrongTags.push(`${room}: ${found.tag ?? ""} instead of ${tag}`);
}

/** Runs the metrics timer, which refills the pool, until it is full and no room is requested, or time runs out. */
export async function untilPoolIsAtRest(
  queues: QueueContents,
  calls: GatewayCalls,
  size: number,
): Promise<void> {
  let readingsAtRest = 0;
  const isAtRest = async (): Promise<true | undefined> => {
    const [pooled, requested] = [await queues.depth("pool"), await queues.depth("provisioning")];
    readingsAtRest = requested === 0 && pooled >= size ? readingsAtRest + 1 : 0;
    if (requested === 0 && pooled < size) await calls.runTimer("collectMetrics");
    return readingsAtRest >= 3 ? true : undefined;
  };
  const options = { description: "a full pool", timeoutSeconds: restTimeoutSeconds, pauseMilliseconds: 300 };
  // The findings show what is missing.
  await poll(isAtRest, options).catch(() => undefined);
}

/** After the faults, claims this many rooms and returns how many claims failed. Names without a room are discarded. */
export async function turnPoolOver(load: Load, claims: number): Promise<number> {
  let failed = 0;
  for (let number = 1; number <= claims; number++) {
    let isHandedOut = false;
    for (let attempt = 1; !isHandedOut && attempt <= maxAttemptsPerTurnoverClaim; attempt++) {
      if (attempt > 1) await delay(500);
      const { result } = await claim(load, `turnover-${number}-${attempt}`);
      isHandedOut = result === "handed-out";
    }
    if (!isHandedOut) failed += 1;
  }
  return failed;
}
