/** What a plan is made for: the load, the platform, and the settings of the gateway. */

export interface Scenario {
  /** Rooms handed out per hour, averaged over the busiest day. */
  readonly perHour: number;
  /** The rate of the busiest minutes, as a multiple of the average. */
  readonly peak: number;
  /** At most one of so many callers may find the pool empty. */
  readonly oneIn: number;
  /** Time from the hand-out of a room to the end of its conference. */
  readonly conferenceMinutes: number;
  /** Calls about a room after its create: reads and changes by consumers and agents. */
  readonly callsPerRoom: number;
  /** Mean time that the platform works on one call. */
  readonly callMilliseconds: number;
  /** Calls that the platform works on at once. */
  readonly callSlots: number;
  /** Calls that the platform accepts per minute. */
  readonly callsPerMinute: number;
  /** `POOL_READY_DELAY_SECONDS`. */
  readonly readyDelaySeconds: number;
  /** `PLATFORM_MAX_CONCURRENCY`. */
  readonly maxConcurrency: number;
  /** `GC_MAX_MESSAGES`. */
  readonly gcMaxMessages: number;
  /** The parameter `maximumInstanceCount`. */
  readonly instances: number;
}

export const defaultScenario: Scenario = {
  perHour: 400,
  peak: 3,
  oneIn: 10_000,
  conferenceMinutes: 15,
  callsPerRoom: 1,
  callMilliseconds: 200,
  callSlots: 5,
  callsPerMinute: 1000,
  readyDelaySeconds: 90,
  maxConcurrency: 5,
  gcMaxMessages: 20,
  instances: 4,
};
