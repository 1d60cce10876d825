/** What several checks need: read once, when the first of them asks for it. */
import { callFunctions, type LogLine, type Target } from "../target/target.ts";
import { createsOf, type LoggedCreate, recentHours } from "./log-history.ts";
import { type Measured, readMeasured } from "./measured.ts";

/** How the platform responded to the operator's own call. */
interface Probe {
  readonly seconds: number;
  /** Undefined if the call succeeded. */
  readonly failure: unknown;
}

/** Every method throws what the log or Azure throws. */
export interface Reading {
  readonly target: Target;
  /** Undefined without credentials for the platform. */
  readonly probe: () => Promise<Probe | undefined>;
  readonly measured: () => Promise<Measured>;
  /** The newest metrics row of the app. */
  readonly newestRow: () => Promise<Readonly<Record<string, unknown>> | undefined>;
  /** The lines of the calls of the last hour. */
  readonly calls: () => Promise<readonly LogLine[]>;
  /** The creates of the last 15 minutes. */
  readonly creates: () => Promise<readonly LoggedCreate[]>;
}

export function readingOf(target: Target): Reading {
  const probe = once(async () => probePlatform(target));
  const calls = once(async () =>
    target.log.lines({ hours: 1, events: ["request"], functions: callFunctions }),
  );
  return {
    target,
    probe,
    measured: once(async () =>
      readMeasured(
        target,
        probe().then((result) => result?.failure),
      ),
    ),
    newestRow: once(async () => target.log.newestMetrics()),
    calls,
    creates: once(async () => {
      const since = new Date(target.clock.now() - recentHours * 3600_000).toISOString();
      return createsOf((await calls()).filter(({ time }) => time >= since));
    }),
  };
}

function once<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let reading: Promise<Result> | undefined;
  return async () => (reading ??= read());
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
