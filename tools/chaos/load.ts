/** The load: callers that claim rooms, use them, and end or delete them, with bulk calls in between. */
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod";
import type { SeededRandom } from "../local/process/seeded-random.ts";
import type { GatewayCalls, Outcome } from "./gateway-calls.ts";
import { tagBase } from "./log-watch.ts";
import { type PlatformView, protectedRooms } from "./platform-view.ts";
import { checkHeldRoom, type Ledger, type Session } from "./sessions.ts";

export interface Load {
  readonly calls: GatewayCalls;
  readonly platform: PlatformView;
  readonly ledger: Ledger;
  readonly random: SeededRandom;
  readonly stopping: AbortSignal;
}

export interface LoadOptions {
  readonly claims: number;
  readonly maxLoadSeconds: number;
  readonly print: (text: string) => void;
}

// Each caller claims one room after the other; sessions continue during later claims.
const callers = 20;
const claimsPerBulkDelete = 500;
const firstBulkDelete = 80;
const claimsPerReport = 100;
const createdSchema = z.object({ name: z.string(), tag: z.string() });
const shareOfShortTimeouts = 0.03;
const claimTimeoutSeconds = 60;
const maxUseMilliseconds = 3000;
const maxRepeats = 2;
const maxEndAttempts = 60;
const claimsPerBulkCreate = 100;

/** Sends the claims, or fewer if time runs out, and resolves when all sessions are over. */
export async function runLoad(load: Load, { claims, maxLoadSeconds, print }: LoadOptions): Promise<void> {
  const { random, stopping, calls, ledger } = load;
  const background: Promise<unknown>[] = [];
  const until = performance.now() + maxLoadSeconds * 1000;
  let sent = 0;
  const report = (): void => {
    const handedOut = ledger.sessions.filter(({ result }) => result === "handed-out").length;
    print(`${sent} of ${claims} claims sent, ${handedOut} rooms handed out`);
  };
  const runCaller = async (): Promise<void> => {
    while (sent < claims && performance.now() < until && !stopping.aborted) {
      sent += 1;
      const tag = `${tagBase}${sent}-${random.integerBelow(1e9)}`;
      if (sent % claimsPerBulkDelete === firstBulkDelete) background.push(bulkDelete(load));
      if (sent % claimsPerBulkCreate === 0) background.push(calls.bulkCreate());
      if (sent % claimsPerReport === 0) report();
      const isShort = random.chance(shareOfShortTimeouts);
      const session = await claim(load, tag, isShort ? random.between(0.01, 0.3) : claimTimeoutSeconds);
      if (session.room !== undefined) background.push(useRoom(load, session, session.room));
      const pauseSeconds = session.result === "refused" ? random.between(0.5, 2) : random.between(0, 0.5);
      await delay(pauseSeconds * 1000, undefined, { signal: stopping }).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: callers }, runCaller));
  await Promise.all(background);
}

/** Sends one claim and records its result. */
export async function claim(
  { calls, ledger }: Pick<Load, "calls" | "ledger">,
  tag: string,
  timeoutSeconds: number,
): Promise<Session> {
  const session: Session = { tag, sentAt: Date.now(), result: "waiting", state: "held" };
  ledger.sessions.push(session);
  // Half of the claims have a key. Those repeat a create whose response was lost, as a client would.
  const key = ledger.sessions.length % 2 === 0 ? new URL(tag).pathname : undefined;
  let outcome = await calls.create(tag, timeoutSeconds, key);
  for (let repeat = 1; key !== undefined && outcome === "lost" && repeat <= maxRepeats; repeat++)
    outcome = await calls.create(tag, claimTimeoutSeconds, key);
  if (typeof outcome === "string") {
    session.result = outcome;
  } else if (outcome.status === 200) {
    const created = createdSchema.parse(outcome.body);
    session.result = "handed-out";
    session.room = created.name;
    if (key !== undefined && ledger.sessions.length % 10 === 0) {
      const again = await calls.create(tag, claimTimeoutSeconds, key);
      const repeated = typeof again === "object" && again.status === 200 && createdSchema.parse(again.body);
      if (repeated && repeated.name !== created.name)
        ledger.differentRooms.push(`${created.name} and ${repeated.name}`);
    }
    if (created.tag !== tag) ledger.wrongTags.push(`${created.name}: the response has another tag`);
  } else {
    session.result = "refused";
  }
  return session;
}

/** Uses a room, checks it, and then ends its conference, deletes it, or keeps it. */
async function useRoom(load: Load, session: Session, room: string): Promise<void> {
  const { random, stopping, calls } = load;
  const use = random.next();
  await delay(random.next() * maxUseMilliseconds, undefined, { signal: stopping }).catch(() => undefined);
  checkHeldRoom(load.ledger, session, await load.platform.find(room));
  if (session.state !== "held" || use >= 0.85) return;
  session.state = "ending";
  if (use < 0.35) {
    const rooms = random.chance(0.1) ? [room, room, ...protectedRooms] : [room];
    if (await retryUntil(async () => calls.end(rooms), [204])) session.state = "ended";
    // A second conferencing node reports the same end.
    if (random.chance(0.1)) await calls.end([room]);
  } else if (await retryUntil(async () => calls.delete(room), [204, 404])) {
    session.state = "deleted";
  }
}

async function retryUntil(send: () => Promise<Outcome>, accepted: readonly number[]): Promise<boolean> {
  for (let attempt = 0; attempt < maxEndAttempts; attempt++) {
    const outcome = await send();
    if (typeof outcome === "object" && accepted.includes(outcome.status)) return true;
    await delay(250);
  }
  return false;
}

async function bulkDelete({ calls, ledger }: Load): Promise<void> {
  const running = { endedAt: Number.POSITIVE_INFINITY };
  ledger.bulkDeletes.push(running);
  // Any outcome is acceptable, including the death of the instance.
  await calls.bulkDelete();
  running.endedAt = Date.now();
}
