/** Faults of invalid input, as callers get them. */

/** The fault of a rule of the gateway. */
export const valueError = (loc: readonly unknown[], reason: string) => ({
  type: "value_error",
  loc,
  msg: `Value error, ${reason}`,
  ctx: { error: {} },
});
