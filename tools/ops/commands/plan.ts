/** `ops plan`: how large the pool must be, and which limit is reached first. */
import { decimal, wholeNumber } from "../../local/terminal/create-command.ts";
import type { Context, Operator } from "../operator-program.ts";
import { type Outcome, UsageError } from "../outcomes.ts";
import { defaultScenario, type Scenario } from "../plan/limits.ts";
import { makePlan } from "../plan/make-plan.ts";
import { binMinutes, claimEvents, measureLoad } from "../plan/measured-load.ts";
import { planLines } from "../plan/plan-lines.ts";
import { count } from "../terminal/format.ts";

export function addPlan({ command, run }: Operator): void {
  const initial = defaultScenario;
  command(
    "plan",
    "calculates how large the pool must be, and which limit is reached first",
    "Needs no gateway, unless the load is measured. docs/operations.md explains the result. With --measured-days, the load " +
      "and the present settings are the gateway's, unless an option says otherwise.",
  )
    .option(
      "--per-hour <rooms>",
      "Rooms handed out per hour, averaged over the busiest day.",
      decimal(0.1, 1_000_000),
    )
    .option(
      "--peak <factor>",
      "The rate of the busiest minutes, in averages. Default: 3, or measured.",
      decimal(1, 100),
    )
    .option("--measured-days <days>", "Measures both in the log of this many days.", wholeNumber(1, 30))
    .option(
      "--one-in <callers>",
      "At most one caller in this many may find the pool empty.",
      wholeNumber(10, 1_000_000),
      initial.oneIn,
    )
    .option(
      "--conference-minutes <minutes>",
      "Mean time from the hand-out of a room to the end of its conference.",
      decimal(0.1, 1440),
      initial.conferenceMinutes,
    )
    .option(
      "--calls-per-room <calls>",
      "Reads and changes of a room by consumers and agents.",
      wholeNumber(0, 100),
      initial.callsPerRoom,
    )
    .option(
      "--call-milliseconds <ms>",
      "Mean time that the platform works on a call.",
      wholeNumber(1, 5000),
      initial.callMilliseconds,
    )
    .option(
      "--call-slots <calls>",
      "Calls that the platform works on at once.",
      wholeNumber(1, 1000),
      initial.callSlots,
    )
    .option(
      "--calls-per-minute <calls>",
      "Calls that the platform accepts per minute.",
      wholeNumber(10, 1_000_000),
      initial.callsPerMinute,
    )
    .option("--max-vmr <rooms>", "The present MAX_VMR, to see what it can carry.", wholeNumber(1, 10_000))
    .option("--ready-delay-seconds <seconds>", "POOL_READY_DELAY_SECONDS. Default: 90.", wholeNumber(0, 3600))
    .option("--max-concurrency <calls>", "PLATFORM_MAX_CONCURRENCY. Default: 5.", wholeNumber(1, 20))
    .option("--gc-max-messages <rooms>", "The present GC_MAX_MESSAGES. Default: 20.", wholeNumber(1, 1000))
    .option("--instances <n>", "MAXIMUM_INSTANCE_COUNT.", wholeNumber(1, 1000), initial.instances)
    .option("--json", "Prints one JSON object instead of the text.")
    .action(async (options) => run(options, async (context) => plan(options, context)));
}

interface PlanOptions
  extends Pick<
    Scenario,
    "oneIn" | "conferenceMinutes" | "callsPerRoom" | "callMilliseconds" | "callSlots" | "callsPerMinute"
  > {
  readonly perHour?: number;
  readonly peak?: number;
  readonly measuredDays?: number;
  readonly maxVmr?: number;
  readonly readyDelaySeconds?: number;
  readonly maxConcurrency?: number;
  readonly gcMaxMessages?: number;
  readonly instances: number;
  readonly json?: true;
}

async function plan(options: PlanOptions, context: Context): Promise<Outcome> {
  const { terminal } = context;
  const { measuredDays: days, json } = options;
  const measured = days === undefined ? undefined : await measure(days, context);
  if (days !== undefined && measured === undefined) {
    terminal.remark(`No caller requested a room in the last ${count(days, "day")}. Use --per-hour instead.`);
    return "finding";
  }
  const perHour = options.perHour ?? measured?.load.perHour;
  if (perHour === undefined) throw new UsageError("--per-hour is required, unless --measured-days is given");
  const { pool, platform, garbage } = measured?.settings ?? {};
  const scenario: Scenario = {
    perHour,
    oneIn: options.oneIn,
    conferenceMinutes: options.conferenceMinutes,
    callsPerRoom: options.callsPerRoom,
    callMilliseconds: options.callMilliseconds,
    callSlots: options.callSlots,
    callsPerMinute: options.callsPerMinute,
    instances: options.instances,
    peak: options.peak ?? measured?.load.peak ?? defaultScenario.peak,
    readyDelaySeconds:
      options.readyDelaySeconds ?? pool?.readyDelaySeconds ?? defaultScenario.readyDelaySeconds,
    maxConcurrency: options.maxConcurrency ?? platform?.maxConcurrency ?? defaultScenario.maxConcurrency,
    gcMaxMessages: options.gcMaxMessages ?? garbage?.maxMessages ?? defaultScenario.gcMaxMessages,
  };
  const result = makePlan(scenario, options.maxVmr ?? (pool?.maxRooms || undefined));
  if (json) {
    terminal.print(JSON.stringify({ measured: measured?.load, ...result }));
    return "ok";
  }
  if (measured) {
    const { callers, empty } = measured.load;
    terminal.print(
      `Measured in the log of ${count(days ?? 0, "day")}: ${count(callers, "caller")}, of whom ${empty} found the pool empty.`,
    );
  }
  for (const line of planLines(result)) terminal.print(line);
  return "ok";
}

async function measure(days: number, { connect }: Context) {
  const { log, settings } = await connect();
  const load = measureLoad(await log.counts({ hours: 24 * days, events: claimEvents }, binMinutes));
  return load && { load, settings };
}
