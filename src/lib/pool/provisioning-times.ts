/** The three durations of provisioning one room; they are defined together because each depends on the others. */

export interface ProvisioningTimes {
  /** Timeout of the POST that creates the room. */
  readonly createSeconds: number;
  /** How long provisioning looks for a room whose creation had an unknown outcome. */
  readonly lookUpSeconds: number;
  /** How long the new name is invisible to claims: longer than the other two together. */
  readonly invisibleSeconds: number;
}

const maxInvisibleSeconds = 600;

/** With the default timeout (10 s) and lease (300 s): 30 s, 60 s and 600 s. */
export function provisioningTimes(platformTimeoutSeconds: number, leaseSeconds: number): ProvisioningTimes {
  return {
    createSeconds: 3 * platformTimeoutSeconds,
    lookUpSeconds: 6 * platformTimeoutSeconds,
    invisibleSeconds: Math.min(maxInvisibleSeconds, Math.max(2 * leaseSeconds, 12 * platformTimeoutSeconds)),
  };
}
