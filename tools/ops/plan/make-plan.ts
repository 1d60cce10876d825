/** Plans a pool: how many rooms it needs, which licences and ports to buy, and whether the platform can carry the load. */

/** The input of a plan: the load, the platform, and the gateway's settings. */
export interface Scenario {
  readonly perDay: number;
  /** Rooms handed out in the busiest hour. */
  readonly perHour: number;
  /** The hourly rate of the busiest minutes: that of the busiest hour, unless a shorter time was measured. */
  readonly busiestPerHour: number;
  /** Callers who arrive together, within one lead time, in addition to the others. */
  readonly burst: number;
  /** At most one caller in this many may find the pool empty. */
  readonly oneIn: number;
  /** Mean time that the platform works on one call. */
  readonly callMilliseconds: number;
  /** Calls that the platform works on at once. */
  readonly callSlots: number;
  /** Calls that the platform accepts per minute. */
  readonly callsPerMinute: number;
  /** `POOL_READY_DELAY_SECONDS`. */
  readonly readyDelaySeconds: number;
  /** Mean minutes from the hand-out of a room to the end of its conference. */
  readonly conferenceMinutes: number;
}

type Plan = ReturnType<typeof makePlan>;

/** The maximum minutes from the end of a conference to the deletion of its room: `GC_MINIMUM_AGE_SECONDS`, and a timer. */
const deletionMinutes = 20;
const pollSeconds = 1;
/** Platform calls per room: two of the claim, one that provisions the replacement, and one later read or change. */
const callsPerRoom = 4;
/** The caller, the agent, and the call to the queue. */
const portsPerRoom = 3;

/** The numbers of rooms are bounds: the share of callers who need more of them is at most one in `oneIn`. */
export function makePlan(scenario: Scenario) {
  const { perHour, busiestPerHour, burst, oneIn, callMilliseconds, conferenceMinutes } = scenario;
  // A pool is one room short after a claim for the ready delay, a poll of the host, and three calls.
  const leadSeconds = scenario.readyDelaySeconds + pollSeconds + (3 * callMilliseconds) / 1000;
  const roomsFor = (load: number) => smallestPool(load, 1 / oneIn);
  const pooled = roomsFor((busiestPerHour * leadSeconds) / 3600 + burst);
  const inUse = roomsFor((perHour * conferenceMinutes) / 60);
  const outside = roomsFor((perHour * (conferenceMinutes + deletionMinutes)) / 60);
  const callsPerHour = Math.min(
    60 * scenario.callsPerMinute,
    scenario.callSlots * (3_600_000 / callMilliseconds),
  );
  const maxPerHour = callsPerHour / callsPerRoom;
  return {
    scenario,
    /** Mean seconds from a claim to the moment when its replacement can be claimed. */
    leadSeconds,
    /** `MAX_VMR` and `POOL_MINIMUM`. */
    pooled,
    inUse,
    /** Ended rooms that wait for their deletion. */
    waiting: outside - inUse,
    /** The sum of the three. */
    licences: pooled + outside,
    // The rooms of a burst are in use afterwards, instead of in the pool.
    ports: portsPerRoom * (inUse + burst),
    /** What the platform can carry. */
    maxPerHour,
    isTooMuch: busiestPerHour > maxPerHour,
  };
}

/**
 * Returns the smallest pool in which at most this share of callers finds no room, by the Erlang B formula. `load` is the
 * mean number of callers in the time after which a taken room is replaced. Callers must arrive independently of each other
 * (a Poisson process); how this time varies makes no difference, only its mean. The recursion is that of
 * https://en.wikipedia.org/wiki/Erlang_(unit)#Erlang_B_formula.
 */
export function smallestPool(load: number, maxShare: number): number {
  let size = 0;
  for (let share = 1; share > maxShare; share = (load * share) / (size + load * share)) size += 1;
  return size;
}

/** Returns the lines of a plan for the operator. */
export function planLines({ scenario, ...plan }: Plan): string[] {
  const { perDay, perHour, busiestPerHour, burst, oneIn, conferenceMinutes } = scenario;
  const { pooled, inUse, waiting, licences, ports, leadSeconds, maxPerHour, isTooMuch } = plan;
  const together = burst > 0 ? `, and ${whole(burst)} callers who arrive together` : "";
  return [
    `Load: ${whole(perDay)} rooms per day, ${whole(perHour)} in the busiest hour${together}.`,
    `Pool: at most 1 in ${whole(oneIn)} callers finds it empty (Erlang B; a room is replaced ${leadSeconds.toFixed(1)} s` +
      " after its claim). Provision these settings, and fill the pool:",
    `  MAX_VMR=${pooled}`,
    `  POOL_MINIMUM=${pooled}`,
    `Rooms on the platform: at most ${whole(licences)} = ${whole(pooled)} pooled + ${whole(inUse)} in use` +
      ` (${whole(conferenceMinutes)} min each) + ${whole(waiting)} waiting for deletion (up to ${deletionMinutes} min).`,
    `Buy ${whole(licences)} VMR licences, and ports and conferencing nodes for ${whole(inUse + burst)} conferences:` +
      ` ${whole(ports)} ports, three each.`,
    `The platform carries at most ${whole(maxPerHour)} rooms per hour at the peak (the smaller of calls per minute, and` +
      ` call slots / call time, at four calls a room); this plan needs ${whole(busiestPerHour)}` +
      (isTooMuch ? ": a second gateway and platform." : "."),
  ];
}

function whole(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: value < 10 ? 1 : 0 });
}
