/** How often storage's libraries send a call that gets no response. The tests of the adapters prove these numbers. */
import type { Queue } from "../../src/lib/queue.ts";

/** Operations that could do harm if they were repeated are sent once. */
export const queueAttempts: Readonly<Record<keyof Queue, number>> = {
  put: 1,
  receive: 1,
  delete: 1,
  setInvisible: 1,
  count: 3,
  peek: 3,
  clear: 3,
};

/** Both operations of the record store. */
export const recordAttempts = 2;
