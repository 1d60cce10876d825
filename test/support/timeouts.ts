/** Durations that allow for a busy computer, which may pause a process for seconds. */

/** The timeout of a call that must not fail because of a pause. */
export const pauseTolerantSeconds = 60;

/** The timeout of a test that runs through hundreds of rooms. */
export const longTestMilliseconds = 180_000;
