/** When the local host runs a timer whose run takes longer than the pause until the next. */
import { expect, onTestFinished, test, vi } from "vitest";
import { readQueueSettings } from "../../host/host-json.ts";
import { startTriggers } from "../../host/triggers.ts";

test("The runs of a timer never overlap, and one run follows at once if any was due during another", async () => {
  const queues = await readQueueSettings("host.json");
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 2) });
  onTestFinished(() => void vi.useRealTimers());
  const runs: PromiseWithResolvers<undefined>[] = [];
  const invoke = async () => {
    const run = Promise.withResolvers<undefined>();
    runs.push(run);
    return run.promise;
  };
  const { stop } = startTriggers({
    metadata: [
      { name: "everySecond", bindings: { timer: { type: "timerTrigger", schedule: "* * * * * *" } } },
    ],
    queues,
    connectionString: "",
    timersEnabled: true,
    app: { invoke },
    onLog: () => undefined,
  });
  onTestFinished(stop);
  const amounts: number[] = [];
  for (const milliseconds of [3500, 1, 1, 498]) {
    await vi.advanceTimersByTimeAsync(milliseconds);
    amounts.push(runs.length);
    runs.at(-1)?.resolve(undefined);
  }
  expect(amounts).toEqual([1, 2, 2, 3]);
});
