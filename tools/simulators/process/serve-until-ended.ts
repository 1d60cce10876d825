/** Lets a script that runs as its own process report its URLs, and end on request. */

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

/** Prints the URLs as one line of JSON, waits for a request to stop, stops the servers and exits. */
export async function serveUntilEnded(
  addresses: Readonly<Record<string, string | undefined>>,
  stop: () => Promise<unknown>,
): Promise<never> {
  const endRequested = untilEndRequested();
  console.log(JSON.stringify(addresses));
  await endRequested;
  await stop();
  process.exit(0);
}
