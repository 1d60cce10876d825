/** When the faults are over: what callers do before the audit. */
import type { Line } from "./audit.ts";
import { claim, type LoadOptions } from "./load.ts";
import { tagBase } from "./log-watch.ts";

/** Claims as many rooms as the pool holds: every name that the faults have left there must lead to a room, or go. */
export async function turnPoolOver(
  { calls, ledger }: Pick<LoadOptions, "calls" | "ledger">,
  poolSize: number,
): Promise<Line> {
  let refused = 0;
  for (let number = 1; number <= 1.5 * poolSize; number++) {
    let isRefused = true;
    // Names that a bulk delete has left without a room are weeded out a few at a time; a busy computer is slow.
    for (let attempt = 1; isRefused && attempt <= 10; attempt++) {
      const { answer } = await claim({ calls, ledger }, `${tagBase}after-${number}-${attempt}`, 30);
      isRefused = answer !== "handed-out";
    }
    if (isRefused) refused += 1;
  }
  return { isOk: refused === 0, text: `${refused} claims refused after the faults` };
}

/** The rooms that callers still hold are not forgotten ones: their conferences are running. */
export async function startHeldConferences({
  ledger,
  platform,
}: Pick<LoadOptions, "ledger" | "platform">): Promise<void> {
  for (const { room, state } of ledger.sessions) {
    if (room === undefined || (state !== "held" && state !== "ending")) continue;
    await platform.control("POST", "/control/conferences/start", { name: room });
  }
}
