/** The load: callers that claim rooms at random times, use them, and end or delete them; and bulk calls between. */
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { GatewayCalls, Outcome } from "./gateway-calls.ts";
import { check, type Ledger, type Session, type Sweep } from "./ledger.ts";
import { tagBase } from "./log-watch.ts";
import type { PlatformView } from "./platform-view.ts";
import type { SeededRandom } from "./seeded-random.ts";

export interface LoadOptions {
  readonly calls: GatewayCalls;
  readonly platform: PlatformView;
  readonly ledger: Ledger;
  readonly random: SeededRandom;
  readonly claims: number;
  /** Callers that claim one room after the other; each claim's session goes on beside the next claims. */
  readonly callers: number;
  readonly maxLoadSeconds: number;
  /** A bulk delete comes with each of these claims; it wipes out traces of faults before it. */
  readonly sweepsAtClaims: readonly number[];
  /** Rooms that nobody may delete, for events that name them. */
  readonly protectedRooms: readonly string[];
  readonly onProgress: (sent: number) => void;
  readonly stopping: AbortSignal;
}

const createdSchema = z.object({ name: z.string(), tag: z.string() });
const shareOfImpatientCallers = 0.03;
const usualPatienceSeconds = 60;
const maxUseMilliseconds = 3000;
const endAttempts = 60;
const claimsPerRefill = 100;

/** Sends the claims, fewer when time runs out, and resolves when every session is over. */
export async function runLoad(options: LoadOptions): Promise<void> {
  const { random, stopping } = options;
  const background: Promise<void>[] = [];
  const until = performance.now() + options.maxLoadSeconds * 1000;
  let sent = 0;
  const call = async (): Promise<void> => {
    while (sent < options.claims && performance.now() < until && !stopping.aborted) {
      sent += 1;
      const number = sent;
      if (options.sweepsAtClaims.includes(number)) background.push(sweep(options));
      if (number % claimsPerRefill === 0) background.push(refill(options));
      options.onProgress(number);
      const session = await claimSomehow(options, `${tagBase}${number}-${Math.floor(random.next() * 1e9)}`);
      if (session.room !== undefined) background.push(useRoom(options, session, session.room));
      // Who is refused comes back a little later, as the gateway asks for.
      const pauseSeconds = session.answer === "refused" ? random.between(0.5, 2) : random.between(0, 0.5);
      await delay(pauseSeconds * 1000, undefined, { signal: stopping }).catch(() => undefined);
    }
  };
  await Promise.all(Array.from({ length: options.callers }, call));
  await Promise.all(background);
}

async function claimSomehow(options: LoadOptions, tag: string): Promise<Session> {
  const { random } = options;
  const isImpatient = random.chance(shareOfImpatientCallers);
  return claim(options, tag, isImpatient ? random.between(0.01, 0.3) : usualPatienceSeconds);
}

async function useRoom(options: LoadOptions, session: Session, room: string): Promise<void> {
  const { random, stopping } = options;
  const use = random.next();
  const useMilliseconds = random.next() * maxUseMilliseconds;
  await delay(useMilliseconds, undefined, { signal: stopping }).catch(() => undefined);
  check(options.ledger, session, await options.platform.find(room));
  if (session.state !== "held") return;
  if (use < 0.35) await end(options, session, room);
  else if (use < 0.85) await remove(options, session, room);
}

/** Sends one claim and records its answer. */
export async function claim(
  { calls, ledger }: Pick<LoadOptions, "calls" | "ledger">,
  tag: string,
  patienceSeconds: number,
): Promise<Session> {
  const session: Session = { tag, sentAt: Date.now(), answer: "waiting", state: "held" };
  ledger.sessions.push(session);
  const outcome = await calls.create(tag, patienceSeconds);
  if (typeof outcome === "string") {
    session.answer = outcome;
  } else if (outcome.status === 200) {
    const created = createdSchema.parse(outcome.body);
    session.answer = "handed-out";
    session.room = created.name;
    if (created.tag !== tag) ledger.wrongTags.push(`${created.name}: the answer's tag is not the claim's`);
  } else {
    session.answer = "refused";
  }
  return session;
}

/** As the platform does: the same event again until it is taken; sometimes one from a second node as well. */
async function end(
  { calls, random, protectedRooms }: LoadOptions,
  session: Session,
  room: string,
): Promise<void> {
  session.state = "ending";
  const rooms = random.chance(0.1) ? [room, room, ...protectedRooms] : [room];
  const taken = await untilAnswered(async () => calls.end(rooms), [204]);
  if (taken) session.state = "ended";
  if (random.chance(0.1)) await calls.end([room]);
}

async function remove({ calls }: LoadOptions, session: Session, room: string): Promise<void> {
  session.state = "ending";
  if (await untilAnswered(async () => calls.delete(room), [204, 404])) session.state = "deleted";
}

async function untilAnswered(send: () => Promise<Outcome>, accepted: readonly number[]): Promise<boolean> {
  for (let attempt = 0; attempt < endAttempts; attempt++) {
    const outcome = await send();
    if (typeof outcome === "object" && accepted.includes(outcome.status)) return true;
    await delay(250);
  }
  return false;
}

async function sweep({ calls, ledger }: LoadOptions): Promise<void> {
  const running: Sweep = { from: Date.now(), until: Number.POSITIVE_INFINITY, isDone: false };
  ledger.sweeps.push(running);
  // Whatever comes of it is fine: an answer, or the end of the process that was at it.
  const outcome = await calls.bulkDelete();
  running.until = Date.now();
  running.isDone = typeof outcome === "object" && outcome.status === 204;
}

async function refill({ calls }: LoadOptions): Promise<void> {
  await calls.bulkCreate();
}
