/** How large the pool must be, and what to buy: the rows of the table in docs/operations.md. */

/** At most one caller in this many may find the pool empty. */
const callersPerEmptyPool = 10_000;
/** The default of `POOL_READY_DELAY_SECONDS`, a poll of the host, and three calls of 0.2 s. */
const replacementSeconds = 90 + 1 + 3 * 0.2;
/** Mean minutes from the hand-out of a room to the end of its conference. */
const conferenceMinutes = 15;
/** The maximum minutes from the end of a conference to the deletion of its room: `GC_MINIMUM_AGE_SECONDS`, and a timer. */
const deletionMinutes = 20;
/** The share of rooms that nobody joins, and for how long they stay. */
const unusedShare = 0.05;
const maximumAgeHours = 24;
/** The caller, the agent, and the call to the queue. */
const portsPerRoom = 3;
/** POST, PATCH, four look-ups (claim, consumer, agent, collector), the look at the conference, and DELETE. */
const platformCallsPerRoom = 8;

/** A day's load. */
interface Load {
  readonly perDay: number;
  /** The share of these rooms that is handed out in the busiest hour. */
  readonly busyHourPercent: number;
}

/**
 * Returns what a load needs in its busiest hour. The numbers of rooms are bounds, not means. `wakeSeconds` is the time that
 * an idle function needs to wake up: https://github.com/Azure/azure-functions-host/issues/10706
 */
export function sizeFor({ perDay, busyHourPercent }: Load, wakeSeconds = 0) {
  const perHour = (perDay * busyHourPercent) / 100;
  const inUse = (perHour * conferenceMinutes) / 60;
  const waiting = (perHour * deletionMinutes) / 60;
  const unused = unusedShare * perDay * (maximumAgeHours / 24);
  const pool = smallestPool((perHour * (replacementSeconds + wakeSeconds)) / 3600, 1 / callersPerEmptyPool);
  return {
    pool,
    roomsOnPlatform: pool + smallestPool(inUse + waiting + unused, 1 / callersPerEmptyPool),
    ports: portsPerRoom * smallestPool(inUse, 1 / callersPerEmptyPool),
    platformCallsPerHour: platformCallsPerRoom * perHour,
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
