/** Prints a plan for the operator. */
import { count, table } from "../terminal/format.ts";
import { deletionMinutes, type Plan } from "./make-plan.ts";

/** Returns the lines of a plan. */
export function planLines(plan: Plan): string[] {
  const { total, gateways, scenario, rooms, leadSeconds, settings } = plan;
  return [
    `Load: ${whole(total.perHour)} rooms per hour on average, ${whole(total.peakPerHour)} at the peak,` +
      ` ${whole(total.perDay)} per day.`,
    ...splitLines(plan),
    "",
    `Pool: ${count(rooms, "room")}, so that at most 1 in ${whole(scenario.oneIn)} callers finds it empty at the peak` +
      ` (Erlang B; a room is replaced ${leadSeconds.toFixed(1)} s after its claim).`,
    "",
    `Limits${gateways > 1 ? " of one gateway" : ""} in rooms per hour with the present settings, the tightest first:`,
    ...limitLines(plan).map((line) => `  ${line}`),
    "",
    gateways > 1 ? "Settings of each gateway:" : "Settings:",
    ...Object.entries(settings).map(([name, value]) => `  ${name}=${value}`),
    "Then provision, and fill the pool: npm run ops -- fill.",
    `At the peak, ${gateways > 1 ? "each" : "the"} platform has ${whole(plan.roomsOnPlatform)} rooms:` +
      ` pooled, in use (${whole(scenario.conferenceMinutes)} minutes from hand-out to the end of the conference),` +
      ` and waiting for deletion (up to ${deletionMinutes} minutes).`,
  ];
}

function splitLines({ gateways, scenario, limitAfterSplit: limit }: Plan): string[] {
  if (!limit) return [];
  return [
    `One gateway and its platform cannot carry this. ${gateways} gateways, each with its platform, can:` +
      ` ${whole(scenario.perHour)} rooms per hour each.`,
    `The tightest limit of each is then: ${limit.part}, ${whole(limit.roomsPerHour)} rooms per hour` +
      ` (${limit.applies}: ${whole(scenario.perHour * (limit.applies === "peak" ? scenario.peak : 1))}).`,
    "Pool and settings below are those of each gateway. docs/operations.md, More than one gateway, says how to split.",
  ];
}

function limitLines({ limits, total }: Plan): string[] {
  const rows = limits.map(({ part, roomsPerHour, applies, headroom, consequence, remedy }) => {
    const load = applies === "peak" ? `peak ${whole(total.peakPerHour)}` : `average ${whole(total.perHour)}`;
    const verdict = headroom < 1 ? `too low: ${consequence}; ${remedy}` : "ok";
    return [part, whole(roomsPerHour), load, verdict];
  });
  return table([["part", "limit", "load", ""], ...rows]);
}

function whole(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 1 : 0 });
}
