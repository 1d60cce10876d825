/** How a stand-in that runs as its own process announces itself and ends. */

/**
 * Prints the addresses as one line of JSON, then stops the servers and exits on SIGINT, SIGTERM, or when
 * standard input closes, so that a process whose parent has died does not stay behind.
 */
export function serveUntilEnded(addresses: Record<string, string>, stop: () => Promise<unknown>): void {
  console.log(JSON.stringify(addresses));
  const end = (): void => {
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  process.stdin.once("close", end);
  process.stdin.resume();
}
