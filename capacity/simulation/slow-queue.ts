/** A queue in memory whose operations take time, and are counted. */
import type { Queue } from "../../src/lib/queues/queue.ts";
import type { RandomSource } from "../../src/lib/random.ts";
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
  const slow =
    <Parameters extends readonly unknown[], Result>(operation: (...given: Parameters) => Promise<Result>) =>
    async (...given: Parameters): Promise<Result> => {
      onCall();
      await time.sleep(minMilliseconds + random.integerBelow(spreadMilliseconds));
      return operation(...given);
    };
  return {
    put: slow(queue.put),
    receive: slow(queue.receive),
    delete: slow(queue.delete),
    setInvisible: slow(queue.setInvisible),
    count: slow(queue.count),
    oldestAgeSeconds: slow(queue.oldestAgeSeconds),
    clear: slow(queue.clear),
  };
}
