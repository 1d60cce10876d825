/** When changes are paused, and what the change of the half-open breaker decides. */
import { expect, test } from "vitest";
import { PlatformError, type PlatformFailure } from "../../../src/lib/platform/errors.ts";
import { createBreaker } from "../../../src/lib/pool/breaker.ts";
import { createManualClock } from "../../../tools/simulators/memory/clock.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

const failure = (details: Omit<PlatformFailure, "message">) =>
  new PlatformError({ message: "PATCH", ...details });
const unknown = failure({ outcome: "unknown", status: 503 });
const notSent = failure({ outcome: "not-sent" });
const refused = failure({ outcome: "refused", status: 403 });
const namesField = failure({ outcome: "refused", status: 400, body: { conference: { tag: ["no"] } } });
const bug = new TypeError("bug");

type Change = () => Promise<unknown>;
const works: Change = async () => "changed";
const finds404: Change = async () => undefined;
const failsWith = (error: Error) => async (): Promise<unknown> => Promise.reject(error);

function startBreaker() {
  const clock = createManualClock();
  const breaker = createBreaker(clock);
  const log = createRecordingLog();
  /** Sends a change that ends so, and returns what the caller gets. */
  const send = async (change: Change) => breaker.run(change, log).catch((error: unknown) => error);
  return {
    clock,
    log,
    send,
    /** Begins a change. Returns the function that ends it. */
    begin: (): ((change: Change) => Promise<unknown>) => {
      const { promise, resolve } = Promise.withResolvers<Change>();
      const received = send(async () => (await promise)());
      return async (change) => {
        resolve(change);
        return received;
      };
    },
    /** Returns for how many seconds no change is sent. */
    pausedSeconds: (): number => {
      try {
        breaker.check();
        return 0;
      } catch (error) {
        if (!(error instanceof PlatformError) || error.outcome !== "not-sent") throw error;
        return error.details.retryAfterSeconds ?? Number.NaN;
      }
    },
  };
}

/** A breaker whose first pause is over, so that it is half-open. */
async function startHalfOpen() {
  const breaker = startBreaker();
  for (let count = 1; count <= 3; count++) await breaker.send(failsWith(unknown));
  expect(breaker.pausedSeconds()).toBe(10);
  breaker.clock.advance(10);
  return breaker;
}

test.each<[string, Change, { received: unknown; pausedSeconds: number; isClosed: boolean }]>([
  ["works", works, { received: "changed", pausedSeconds: 0, isClosed: true }],
  [
    "is rejected for a field",
    failsWith(namesField),
    { received: namesField, pausedSeconds: 0, isClosed: true },
  ],
  ["has an unknown outcome", failsWith(unknown), { received: unknown, pausedSeconds: 60, isClosed: false }],
  ["finds no room", finds404, { received: undefined, pausedSeconds: 0, isClosed: false }],
  ["cannot be sent", failsWith(notSent), { received: notSent, pausedSeconds: 0, isClosed: false }],
  ["is refused", failsWith(refused), { received: refused, pausedSeconds: 0, isClosed: false }],
  ["meets a bug", failsWith(bug), { received: bug, pausedSeconds: 0, isClosed: false }],
])(
  "After the pause, one change is sent, and if it %s, changes go on or pause",
  async (_, change, { received, pausedSeconds, isClosed }) => {
    const breaker = await startHalfOpen();
    const end = breaker.begin();
    expect(await breaker.send(works)).toMatchObject({
      outcome: "not-sent",
      details: { retryAfterSeconds: 1 },
    });
    expect(await end(change)).toBe(received);
    expect(breaker.pausedSeconds()).toBe(pausedSeconds);
    // Only a closed breaker lets two changes be sent at once.
    breaker.clock.advance(pausedSeconds);
    const endNext = breaker.begin();
    expect((await breaker.send(works)) === "changed").toBe(isClosed);
    await endNext(works);
    expect(await breaker.send(works)).toBe("changed");
  },
);

test.each([
  ["a 404", finds404, 10],
  ["a refusal", failsWith(refused), 10],
  ["a success", works, 0],
  ["a rejection of a field", failsWith(namesField), 0],
] as const)("Unknown outcomes with %s between them pause changes, or do not", async (_, change, seconds) => {
  const { send, pausedSeconds } = startBreaker();
  for (const each of [failsWith(unknown), failsWith(unknown), change, failsWith(unknown)]) await send(each);
  expect(pausedSeconds()).toBe(seconds);
});

test("A pause is logged, and its last second passes before a change is sent", async () => {
  const { clock, log, send } = await startHalfOpen();
  clock.advance(-1);
  expect(await send(works)).toMatchObject({ outcome: "not-sent", details: { retryAfterSeconds: 1 } });
  expect(log.fieldsOf("assignments-paused")).toEqual({ seconds: 10 });
});

test("After a recovery, three more unknown outcomes in a row pause changes for ten seconds again", async () => {
  const { send, pausedSeconds } = await startHalfOpen();
  for (const each of [works, failsWith(unknown), failsWith(unknown)]) await send(each);
  expect(pausedSeconds()).toBe(0);
  await send(failsWith(unknown));
  expect(pausedSeconds()).toBe(10);
});

test("A change that was sent before the pause does not make it longer, nor let another one be sent", async () => {
  const { clock, begin, send, pausedSeconds } = startBreaker();
  const [endEarly, endLate] = [begin(), begin()];
  for (let count = 1; count <= 3; count++) await send(failsWith(unknown));
  clock.advance(4);
  await endEarly(failsWith(unknown));
  expect(pausedSeconds()).toBe(6);
  clock.advance(6);
  const endAttempt = begin();
  await endLate(failsWith(unknown));
  expect(pausedSeconds()).toBe(1);
  await endAttempt(works);
  expect(pausedSeconds()).toBe(0);
});

test("A change that was sent before the pause and works ends it", async () => {
  const { begin, send, pausedSeconds } = startBreaker();
  const end = begin();
  for (let count = 1; count <= 3; count++) await send(failsWith(unknown));
  await end(works);
  expect(pausedSeconds()).toBe(0);
});

test("A clock that is set back by an hour ends the pause", async () => {
  const { clock, pausedSeconds } = await startHalfOpen();
  clock.advance(-3600);
  expect(pausedSeconds()).toBe(0);
});
