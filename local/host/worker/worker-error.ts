/** The error that a call of the app ends with when the function failed or the app's process died. */

/** Its `stack` is the description that the worker gave, its `message` the first line of that. */
export class WorkerError extends Error {
  constructor(description: string) {
    super(description.split("\n", 1)[0]);
    this.stack = description;
  }
}
