/** Lets a script that runs as its own process end on request. */

/**
 * Resolves on SIGINT, SIGTERM, or when standard input closes, so a process does not outlive a parent that was killed.
 */
export async function untilEndRequested(): Promise<void> {
  // A parent that has ended reads no more lines.
  process.stdout.on("error", () => undefined);
  await new Promise<void>((resolve) => {
    process.on("SIGINT", resolve);
    process.on("SIGTERM", resolve);
    process.stdin.once("close", resolve);
    process.stdin.resume();
  });
}
