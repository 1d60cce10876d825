/** What several checks need: read once, when the first of them asks for it. */
import { loggableName } from "../../../src/lib/ownership/room.ts";
import { callFunctions } from "../gateway/log.ts";
import type { Target } from "../gateway/target.ts";
import { firstLine } from "../outcomes.ts";
import { createsOf, recentHours } from "./log-history.ts";
import { readMetrics } from "./metrics.ts";

/** How the platform responded to the operator's own call. */
interface Probe {
  readonly seconds: number;
  /** Undefined if the call succeeded. */
  readonly failure: unknown;
}

/** Every method throws what the log or Azure throws. */
export type Reading = ReturnType<typeof readingOf>;

export function readingOf(target: Target) {
  const probe = once(async () => probePlatform(target));
  const calls = once(async () =>
    target.log.lines({ hours: 1, events: ["request"], functions: callFunctions }),
  );
  const recentCalls = once(async () => {
    const since = new Date(target.clock.now() - recentHours * 3600_000).toISOString();
    return (await calls()).filter(({ time }) => time >= since);
  });
  const newestRow = once(async () => target.log.newestMetrics());
  const metrics = once(async () => readMetrics(target, async () => (await probe())?.failure));
  return {
    target,
    /** Undefined without credentials for the platform. */
    probe,
    metrics,
    /** The newest metrics row of the app. */
    newestRow,
    /** Why the log cannot be read; undefined if it can. */
    logFailure: once(async () => Promise.all([newestRow(), calls()]).then(() => undefined, firstLine)),
    /** The lines of the calls of the last hour. */
    calls,
    /** Those of the last 15 minutes. */
    recentCalls,
    /** The creates of the last hour that API Management itself refused or failed; undefined without its log. */
    answeredByApiManagement: once(async () => target.log.answeredByApiManagement()),
    /** The creates of the last 15 minutes. */
    creates: once(async () => createsOf(await recentCalls())),
  };
}

// Longer than the clocks of the app and of this computer usually differ.
const settledMilliseconds = 10_000;

/** Returns the rooms that the platform lists although, by the log of the last hour, this has happened to them since. */
export async function listedAfter(event: string, { target, metrics }: Reading) {
  const { own } = await metrics();
  if (!own || own.rooms.length === 0) return [];
  const lines = await target.log.lines({ hours: 1, events: [event] });
  const times = new Map(lines.map(({ time, fields }) => [fields["room"], Date.parse(time)]));
  return own.rooms.filter(({ name, marker }) => {
    const time = times.get(loggableName(name)) ?? Number.NaN;
    return time > Date.parse(marker.since) && time < own.startedAt - settledMilliseconds;
  });
}

function once<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let reading: Promise<Result> | undefined;
  return async () => {
    reading ??= read();
    return reading;
  };
}

async function probePlatform({ platform, clock }: Target): Promise<Probe | undefined> {
  if (!platform) return undefined;
  const startedAt = clock.now();
  const failure = await platform.probe().then(
    () => undefined,
    (error: unknown) => error,
  );
  return { seconds: (clock.now() - startedAt) / 1000, failure };
}
