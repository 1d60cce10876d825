/** The errors of a call whose function failed or whose process ended. */

/** `stack` is the worker's description, `message` its first line. */
export class WorkerError extends Error {
  constructor(description: string) {
    super(description.split("\n", 1)[0]);
    this.stack = description;
  }
}

/** The host was stopped before the call finished. */
export class CutOffError extends WorkerError {}
