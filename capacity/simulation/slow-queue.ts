/** A queue in memory whose operations take time, and are counted. */
import type { Queue, RandomSource } from "../../src/lib/ports.ts";
import type { VirtualTime } from "./virtual-time.ts";

const minMilliseconds = 3;
const spreadMilliseconds = 10;

/** Returns the queue with a delay before each operation. `onCall` is called once per operation. */
export function createSlowQueue(
  queue: Queue,
  time: VirtualTime,
  random: RandomSource,
  onCall: () => void,
): Queue {
  const slow = async <Result>(operation: () => Promise<Result>): Promise<Result> => {
    onCall();
    await time.sleep(minMilliseconds + random.integerBelow(spreadMilliseconds));
    return operation();
  };
  return {
    put: async (text, options) => slow(async () => queue.put(text, options)),
    receive: async (count, leaseSeconds) => slow(async () => queue.receive(count, leaseSeconds)),
    delete: async (message) => slow(async () => queue.delete(message)),
    setInvisible: async (message, seconds, text) =>
      slow(async () => queue.setInvisible(message, seconds, text)),
    count: async () => slow(async () => queue.count()),
    oldestAgeSeconds: async () => slow(async () => queue.oldestAgeSeconds()),
    clear: async () => slow(async () => queue.clear()),
  };
}
