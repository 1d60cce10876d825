// Reads from a queue that the app makes only when it first uses it.
import { RestError } from "@azure/storage-queue";

/** What `read` gives, or `value` when its queue does not exist yet. */
export async function orWhenMissing<Value>(value: Value, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RestError && error.code === "QueueNotFound") return value;
    throw error;
  }
}
