/** The host's queue trigger: leases messages of the provisioning queue, runs the function, then deletes or retries. */
import type { RandomSource } from "../../src/lib/ports.ts";
import type { QueueMessage } from "../../src/lib/queue.ts";
import type { VirtualClock } from "../../tools/simulators/memory/clock.ts";
import type { MemoryQueue } from "../../tools/simulators/memory/queue.ts";
import type { AppProcess, Plan } from "./processes.ts";

export interface ProvisioningHostOptions {
  readonly queue: MemoryQueue;
  readonly clock: VirtualClock;
  readonly random: RandomSource;
  readonly processes: () => readonly AppProcess[];
  readonly planRun: () => Plan;
}

// The values are those of host.json and of the host. Leases are not renewed here, so lost leases are tested too.
const slotsPerProcess = 5;
const leaseSeconds = 600;
const retrySeconds = 30;
const maxPollMilliseconds = 2000;

export function createProvisioningHost(options: ProvisioningHostOptions) {
  const { queue, clock, random, processes } = options;
  const busySlots = new WeakMap<AppProcess, number>();
  let wakesAt = Number.POSITIVE_INFINITY;
  let isPolling = true;

  function notice(): void {
    if (!isPolling) return;
    const nextVisible = Math.min(...queue.contents().map(({ visibleAt }) => visibleAt));
    if (!Number.isFinite(nextVisible)) return;
    const delay = Math.max(0, nextVisible - clock.now()) + random.integerBelow(maxPollMilliseconds);
    const at = clock.now() + delay;
    if (at >= wakesAt) return;
    wakesAt = at;
    clock.after(delay, () => {
      if (wakesAt !== at) return;
      wakesAt = Number.POSITIVE_INFINITY;
      void poll();
    });
  }

  async function poll(): Promise<void> {
    const all = processes();
    const process = all[random.integerBelow(all.length)];
    const free = process ? slotsPerProcess - (busySlots.get(process) ?? 0) : 0;
    if (process && free > 0 && process.frozenUntil <= clock.now()) {
      const messages = await queue.receive(1 + random.integerBelow(free), leaseSeconds);
      for (const message of messages) void serve(process, message);
    }
    notice();
  }

  async function serve(process: AppProcess, message: QueueMessage): Promise<void> {
    busySlots.set(process, (busySlots.get(process) ?? 0) + 1);
    const ending = await process.provision(message, options.planRun());
    if (ending === "died") return;
    busySlots.set(process, (busySlots.get(process) ?? 1) - 1);
    // Both fail if the lease was lost; another process then handles the message again.
    const settled = "result" in ending ? queue.delete(message) : queue.setInvisible(message, retrySeconds);
    await settled.catch(() => undefined);
    notice();
  }

  return {
    /** Must be called whenever the queue may have changed. */
    notice,
    /** Stops polling, so only `serveOne` runs the function, or starts it again. */
    setPolling: (isOn: boolean): void => {
      isPolling = isOn;
      notice();
    },
    /** Receives one message and runs the function in this process. */
    async serveOne(process: AppProcess): Promise<void> {
      const [message] = await queue.receive(1, leaseSeconds);
      if (message) await serve(process, message);
    },
  };
}
