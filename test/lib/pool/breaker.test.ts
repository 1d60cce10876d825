/** When changes are paused, and what each outcome of a trial says about them. */
import { expect, test } from "vitest";
import { PlatformError, type PlatformFailure } from "../../../src/lib/platform/errors.ts";
import { createBreaker, TrialError } from "../../../src/lib/pool/breaker.ts";
import { createManualClock } from "../../../tools/simulators/memory/clock.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

const failure = (details: Omit<PlatformFailure, "message">) =>
  new PlatformError({ message: "PATCH", ...details });
const unknown = failure({ outcome: "unknown", status: 503 });
const notSent = failure({ outcome: "not-sent" });
const refused = failure({ outcome: "refused", status: 403 });
const namesField = failure({ outcome: "refused", status: 400, body: { conference: { tag: ["no"] } } });
const bug = new TypeError("bug");

const failsWith = (error: Error) => async (): Promise<unknown> => Promise.reject(error);

function startBreaker() {
  const clock = createManualClock();
  const breaker = createBreaker(clock);
  const log = createRecordingLog();
  return {
    clock,
    log,
    /** Sends a change that ends so, after a trial that does if one is due. Returns what the caller gets. */
    send: async (change: () => Promise<unknown>, trial = failsWith(bug)) =>
      breaker.run(change, trial, log).catch((error: unknown) => error),
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

/** A breaker whose pause is over. */
async function startOpenBreaker() {
  const opened = startBreaker();
  for (let count = 1; count <= 3; count++) await opened.send(failsWith(unknown));
  expect(opened.pausedSeconds()).toBe(10);
  opened.clock.advance(10);
  return opened;
}

const works = async () => "changed";
const finds404 = async () => undefined;
const trialError = { outcome: "not-sent", message: "trial: PATCH", details: { retryAfterSeconds: 10 } };

test.each<[string, () => Promise<unknown>, { received: unknown; sent: number; pausedSeconds: number }]>([
  ["works", works, { received: "changed", sent: 1, pausedSeconds: 0 }],
  ["is rejected for a field", failsWith(namesField), { received: "changed", sent: 1, pausedSeconds: 0 }],
  ["finds no room", finds404, { received: undefined, sent: 0, pausedSeconds: 0 }],
  ["cannot be sent", failsWith(notSent), { received: notSent, sent: 0, pausedSeconds: 0 }],
  ["is refused", failsWith(refused), { received: refused, sent: 0, pausedSeconds: 10 }],
  ["has an unknown outcome", failsWith(unknown), { received: trialError, sent: 0, pausedSeconds: 10 }],
  ["meets a bug", failsWith(bug), { received: bug, sent: 0, pausedSeconds: 0 }],
])(
  "After a trial that %s, the change is sent or not, and changes go on or pause",
  async (_, trial, expected) => {
    const { send, pausedSeconds } = await startOpenBreaker();
    let sent = 0;
    const change = async () => {
      sent += 1;
      return "changed";
    };
    const received = await send(change, trial);
    expect({ received, sent, pausedSeconds: pausedSeconds() }).toMatchObject(expected);
    expect(received instanceof TrialError).toBe(expected.received === trialError);
  },
);

test.each([
  ["unknown", unknown, 60],
  ["a rejection of a field", namesField, 0],
  ["a refusal", refused, 0],
] as const)(
  "After a trial that worked, a change with the outcome %s pauses changes for that long",
  async (_, error, seconds) => {
    const { send, pausedSeconds } = await startOpenBreaker();
    expect(await send(failsWith(error), works)).toBe(error);
    expect(pausedSeconds()).toBe(seconds);
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

test("While changes are paused or a trial runs, no other change is sent", async () => {
  const { clock, log, send, pausedSeconds } = await startOpenBreaker();
  clock.advance(-1);
  expect(await send(works)).toMatchObject({ outcome: "not-sent", details: { retryAfterSeconds: 1 } });
  clock.advance(1);
  const trial = Promise.withResolvers<unknown>();
  const first = send(works, async () => trial.promise);
  expect(await send(works, works)).toMatchObject({ outcome: "not-sent", details: { retryAfterSeconds: 1 } });
  trial.resolve("done");
  expect(await first).toBe("changed");
  expect([pausedSeconds(), log.fieldsOf("assignments-paused")]).toEqual([0, { seconds: 10 }]);
});

test("A change that ends during the pause does not make it longer", async () => {
  const { clock, send, pausedSeconds } = startBreaker();
  const last = Promise.withResolvers<unknown>();
  const sent = send(async () => last.promise);
  for (let count = 1; count <= 3; count++) await send(failsWith(unknown));
  clock.advance(4);
  last.reject(unknown);
  await sent;
  expect(pausedSeconds()).toBe(6);
});

test("A clock that is set back by an hour ends the pause", async () => {
  const { clock, pausedSeconds } = await startOpenBreaker();
  clock.advance(-3600);
  expect(pausedSeconds()).toBe(0);
});
