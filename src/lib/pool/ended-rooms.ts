/** Queues rooms whose conference has ended for deletion, within the time that the platform waits for an answer. */
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { forEachParallel } from "../parallel.ts";
import { type Queue, QueueError } from "../queues/queue.ts";

export interface EndedRooms {
  /** Returns when every name is stored, or was refused for good. Throws QueueError when some could not be stored. */
  queueForDeletion(names: readonly string[], log: Log): Promise<void>;
}

// The platform gives up after 7 s (docs.pexip.com/admin/api_event_sink.htm) and sends the whole body again. A put that
// starts at the last moment may take its own three seconds.
const maxMilliseconds = 2500;

export function createEndedRooms({ deletion, clock }: { deletion: Queue; clock: Clock }): EndedRooms {
  async function store(name: string, until: number, log: Log): Promise<void> {
    if (clock.now() >= until) throw new QueueError("unknown", "no time left to store all names");
    try {
      await deletion.put(name);
      log.info("room-queued-for-deletion", { room: name });
    } catch (error) {
      // A name that is refused for good would be refused for ever, and stop the platform's sink.
      if (!(error instanceof QueueError && error.failure === "refused")) throw error;
      log.warn("event-name-refused", { room: name }, error);
    }
  }

  return {
    async queueForDeletion(names, log) {
      const until = clock.now() + maxMilliseconds;
      await forEachParallel(names, async (name) => store(name, until, log));
    },
  };
}
