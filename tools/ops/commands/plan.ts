/** `ops plan`: how large the pool must be, and which licences and ports to buy. */
import { decimal, wholeNumber } from "../../terminal/create-command.ts";
import { count } from "../../terminal/format.ts";
import type { Context, Flags, Operator } from "../operator-program.ts";
import { type Outcome, UsageError } from "../outcomes.ts";
import { makePlan, planLines, type Scenario } from "../plan/make-plan.ts";
import { measureLoad } from "../plan/measured-load.ts";

const defaults = { conferenceMinutes: 15, readyDelaySeconds: 90 };

export function addPlan({ command, run }: Operator): void {
  command(
    "plan",
    "calculates how large the pool must be, and which licences and ports to buy",
    "Needs no gateway, unless the load is measured. Ends with 1 if one platform cannot carry the load. docs/operations.md " +
      "explains the result.",
  )
    .option("--per-day <rooms>", "Rooms handed out on the busiest day.", decimal(1, 10_000_000))
    .option(
      "--busy-hour <percent>",
      "The share of these rooms that is handed out in the busiest hour.",
      decimal(4, 100),
      12.5,
    )
    .option(
      "--burst <callers>",
      "Callers who arrive together, in addition to the others.",
      wholeNumber(0, 10_000),
      0,
    )
    .option(
      "--conference-minutes <minutes>",
      `Mean time from the hand-out of a room to the end of its conference. Default: ${defaults.conferenceMinutes}, or measured.`,
      decimal(0.1, 1440),
    )
    .option(
      "--measured-days <days>",
      "Measures load and conferences in the log of this many days.",
      wholeNumber(1, 30),
    )
    .option(
      "--one-in <callers>",
      "At most one caller in this many may find the pool empty.",
      wholeNumber(10, 1_000_000),
      10_000,
    )
    .option(
      "--call-milliseconds <ms>",
      "Mean time that the platform works on a call.",
      wholeNumber(1, 5000),
      200,
    )
    .option("--call-slots <calls>", "Calls that the platform works on at once.", wholeNumber(1, 1000), 5)
    .option(
      "--calls-per-minute <calls>",
      "Calls that the platform accepts per minute.",
      wholeNumber(10, 1_000_000),
      1000,
    )
    .option("--json", "Prints one JSON object instead of the text.")
    .action(run(plan));
}

type Given = "burst" | "oneIn" | "callMilliseconds" | "callSlots" | "callsPerMinute";
type Optional = { readonly [Name in "perDay" | "conferenceMinutes" | "measuredDays"]?: number };
type PlanOptions = Flags<"json"> & Optional & Pick<Scenario, Given> & { readonly busyHour: number };

async function plan(options: PlanOptions, { terminal, connect, conclude }: Context): Promise<Outcome> {
  const { perDay, busyHour, measuredDays: days, json, ...rest } = options;
  const target = days === undefined ? undefined : await connect();
  const measured = target && (await measureLoad(target.log, days ?? 0));
  const period = count(days ?? 0, "day");
  if (target && !measured) {
    terminal.remark(`No caller requested a room in the last ${period}. Use --per-day instead.`);
    return "finding";
  }
  const perHour = ((perDay ?? 0) * busyHour) / 100;
  const load = perDay === undefined ? measured : { perDay, perHour, busiestPerHour: perHour };
  if (!load) throw new UsageError("--per-day is required, unless --measured-days is given");
  const { pool } = target?.settings ?? {};
  const { readyDelaySeconds } = pool ?? defaults;
  const conferenceMinutes =
    rest.conferenceMinutes ?? measured?.conferenceMinutes ?? defaults.conferenceMinutes;
  const scenario = { perDay: load.perDay, perHour: load.perHour, busiestPerHour: load.busiestPerHour };
  const result = makePlan({ ...rest, ...scenario, readyDelaySeconds, conferenceMinutes });
  const outcome = result.isTooMuch ? "finding" : "ok";
  if (json) return conclude(outcome, JSON.stringify({ measured, ...result }));
  if (measured) {
    const { callers, empty, refused } = measured;
    terminal.print(
      `Measured in the log of ${period}: ${count(callers, "caller")}, of whom ${empty} found the pool empty` +
        ` and ${refused} were refused (5xx; each attempt counts). MAX_VMR is ${pool?.maxRooms}.`,
    );
    if (measured.conferenceMinutes === undefined)
      terminal.print("No conference has ended, so its minutes are not measured.");
  }
  return conclude(outcome, planLines(result).join("\n"));
}
