/** The expected failures of a command. Their messages are for the operator and contain no secret. */

/** The command line is wrong. The message names the option or argument. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Something that the command needs cannot be reached or may not be used. The message says what to do. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
}
