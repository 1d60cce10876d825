/** `ops plan`: how large the pool must be, and which limit is reached first. */
import { decimal, wholeNumber } from "../../local/terminal/create-command.ts";
import type { Context, Operator } from "../operator-program.ts";
import { type Outcome, UsageError } from "../outcomes.ts";
import { defaultScenario, makePlan } from "../plan/make-plan.ts";
import {
  binMinutes,
  claimEvents,
  conferenceEvents,
  measureConferenceMinutes,
  measureLoad,
} from "../plan/measured-load.ts";
import { planLines } from "../plan/plan-lines.ts";
import { count } from "../terminal/format.ts";

export function addPlan({ command, run }: Operator): void {
  const initial = defaultScenario;
  command(
    "plan",
    "calculates how large the pool must be, and which limit is reached first",
    "Needs no gateway, unless the load is measured: then the present settings are the gateway's. docs/operations.md explains " +
      "the result.",
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
    .option(
      "--conference-minutes <minutes>",
      "Mean time from the hand-out of a room to the end of its conference. Default: 15, or measured.",
      decimal(0.1, 1440),
    )
    .option("--measured-days <days>", "Measures all three in the log of this many days.", wholeNumber(1, 30))
    .option(
      "--one-in <callers>",
      "At most one caller in this many may find the pool empty.",
      wholeNumber(10, 1_000_000),
      initial.oneIn,
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
    .option("--json", "Prints one JSON object instead of the text.")
    .action(run(plan));
}

interface PlanOptions {
  readonly perHour?: number;
  readonly peak?: number;
  readonly conferenceMinutes?: number;
  readonly measuredDays?: number;
  readonly oneIn: number;
  readonly callMilliseconds: number;
  readonly callSlots: number;
  readonly callsPerMinute: number;
  readonly json?: true;
}

async function plan(options: PlanOptions, context: Context): Promise<Outcome> {
  const { terminal } = context;
  const { measuredDays: days, oneIn, callMilliseconds, callSlots, callsPerMinute } = options;
  const measured = days === undefined ? undefined : await measure(days, context);
  if (days !== undefined && measured === undefined) {
    terminal.remark(`No caller requested a room in the last ${count(days, "day")}. Use --per-hour instead.`);
    return "finding";
  }
  const perHour = options.perHour ?? measured?.load.perHour;
  if (perHour === undefined) throw new UsageError("--per-hour is required, unless --measured-days is given");
  const { pool, garbage } = measured?.settings ?? {};
  const scenario = {
    perHour,
    oneIn,
    callMilliseconds,
    callSlots,
    callsPerMinute,
    peak: options.peak ?? measured?.load.peak ?? defaultScenario.peak,
    readyDelaySeconds: pool?.readyDelaySeconds ?? defaultScenario.readyDelaySeconds,
    gcMaxMessages: garbage?.maxMessages ?? defaultScenario.gcMaxMessages,
    conferenceMinutes:
      options.conferenceMinutes ?? measured?.load.conferenceMinutes ?? defaultScenario.conferenceMinutes,
  };
  const result = makePlan(scenario, pool?.maxRooms || undefined);
  if (options.json) {
    terminal.print(JSON.stringify({ measured: measured?.load, ...result }));
    return "ok";
  }
  if (measured) {
    const { callers, empty, refused, conferenceMinutes } = measured.load;
    terminal.print(
      `Measured in the log of ${count(days ?? 0, "day")}: ${count(callers, "caller")}, of whom ${empty} found the pool empty` +
        ` and ${refused} were refused (5xx; each attempt counts).`,
    );
    if (conferenceMinutes === undefined)
      terminal.print("No conference has ended, so its minutes are not measured.");
  }
  for (const line of planLines(result)) terminal.print(line);
  return "ok";
}

async function measure(days: number, { connect }: Context) {
  const { log, settings } = await connect();
  const hours = 24 * days;
  const [counts, lines] = await Promise.all([
    log.counts({ hours, events: claimEvents }, binMinutes),
    log.lines({ hours, events: conferenceEvents }),
  ]);
  const load = measureLoad(counts);
  return load && { load: { ...load, conferenceMinutes: measureConferenceMinutes(lines) }, settings };
}
