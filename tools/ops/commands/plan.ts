/** `ops plan`: how large the pool must be, and what gives way first. */
import { makePlan } from "../../../capacity/plan.ts";
import { defaultScenario, type Scenario } from "../../../capacity/scenario.ts";
import { type Context, defineCommand } from "../command.ts";
import { UsageError } from "../failures.ts";
import { decimal, flag, number, withDefault } from "../options.ts";
import { binMinutes, claimEvents, type MeasuredLoad, measureLoad } from "../plan/measured-load.ts";
import { planLines } from "../plan/plan-lines.ts";
import { count } from "../terminal/format.ts";

const initial = defaultScenario;

export const plan = defineCommand({
  name: "plan",
  summary: "calculates and simulates how large the pool must be, and what gives way first",
  details: [
    "Needs no gateway, unless the load is measured. docs/capacity.md explains the result.",
    "With --measured-days, the load and the present settings are the gateway's, unless an option says otherwise.",
  ],
  options: {
    "per-hour": decimal(
      "ROOMS",
      "rooms handed out per hour, averaged over the busiest day",
      [0.1, 1_000_000],
    ),
    peak: decimal("FACTOR", "the rate of the busiest minutes, in averages (default: 3)", [1, 100]),
    "measured-days": number("DAYS", "measures both in the gateway's log of so many days", [1, 30]),
    "one-in": withDefault(
      number("CALLERS", "at most one of so many callers may find the pool empty", [10, 1_000_000]),
      initial.oneIn,
    ),
    "conference-minutes": withDefault(
      decimal("MINUTES", "mean time from the hand-out of a room to the end of its conference", [0.1, 1440]),
      initial.conferenceMinutes,
    ),
    "calls-per-room": withDefault(
      number("CALLS", "reads and changes of a room by consumers and agents", [0, 100]),
      initial.callsPerRoom,
    ),
    "call-milliseconds": withDefault(
      number("MS", "mean time that the platform works on a call", [1, 5000]),
      initial.callMilliseconds,
    ),
    "call-slots": withDefault(
      number("CALLS", "calls that the platform works on at once", [1, 1000]),
      initial.callSlots,
    ),
    "calls-per-minute": withDefault(
      number("CALLS", "calls that the platform accepts per minute", [10, 1_000_000]),
      initial.callsPerMinute,
    ),
    "max-vmr": number("ROOMS", "the present MAX_VMR, to see what it can carry", [1, 10_000]),
    "ready-delay-seconds": number("SECONDS", "POOL_READY_DELAY_SECONDS (default: 90)", [0, 3600]),
    "max-concurrency": number("CALLS", "PLATFORM_MAX_CONCURRENCY (default: 5)", [1, 20]),
    "gc-max-messages": number("ROOMS", "the present GC_MAX_MESSAGES (default: 20)", [1, 1000]),
    instances: withDefault(
      number("INSTANCES", "the parameter maximumInstanceCount", [1, 1000]),
      initial.instances,
    ),
    callers: withDefault(
      number(
        "CALLERS",
        "simulated callers; more give a narrower interval and take longer",
        [1000, 10_000_000],
      ),
      100_000,
    ),
    seed: withDefault(number("N", "the start of the random numbers", [0, 2 ** 31]), 1),
    json: flag("prints one JSON object instead of the text"),
  },
  run: async ({ options }, context) => {
    const { terminal, stopping } = context;
    const days = options["measured-days"];
    const measured = days === undefined ? undefined : await measure(days, context);
    if (days !== undefined && measured === undefined) {
      terminal.remark(`Nobody asked for a room in the last ${count(days, "day")}. Use --per-hour instead.`);
      return "finding";
    }
    const perHour = options["per-hour"] ?? measured?.load.perHour;
    if (perHour === undefined)
      throw new UsageError("--per-hour: is required, unless --measured-days is given");
    const present = measured?.settings;
    const scenario: Scenario = {
      perHour,
      peak: options.peak ?? measured?.load.peak ?? initial.peak,
      oneIn: options["one-in"],
      conferenceMinutes: options["conference-minutes"],
      callsPerRoom: options["calls-per-room"],
      callMilliseconds: options["call-milliseconds"],
      callSlots: options["call-slots"],
      callsPerMinute: options["calls-per-minute"],
      readyDelaySeconds:
        options["ready-delay-seconds"] ?? present?.pool.readyDelaySeconds ?? initial.readyDelaySeconds,
      maxConcurrency:
        options["max-concurrency"] ?? present?.platform.maxConcurrency ?? initial.maxConcurrency,
      gcMaxMessages: options["gc-max-messages"] ?? present?.garbage.maxMessages ?? initial.gcMaxMessages,
      instances: options.instances,
    };
    const result = await makePlan({
      scenario,
      maxVmr: options["max-vmr"] ?? (present?.pool.maxRooms || undefined),
      callers: options.callers,
      seed: options.seed,
      onProgress: (step) => terminal.remark(`${step} ...`),
      signal: stopping,
    });
    if (options.json) terminal.print(JSON.stringify({ measured: measured?.load, ...result }));
    else {
      if (measured) terminal.print(measuredLine(measured.load, days ?? 0));
      for (const line of planLines(result)) terminal.print(line);
    }
    return "ok";
  },
});

async function measure(days: number, { connect }: Context) {
  const { log, settings } = await connect();
  const load = measureLoad(await log.counts({ hours: 24 * days, events: claimEvents }, binMinutes));
  return load && { load, settings };
}

function measuredLine({ callers, empty }: MeasuredLoad, days: number): string {
  return `Measured in the log of ${count(days, "day")}: ${count(callers, "caller")}, of whom ${empty} found the pool empty.`;
}
