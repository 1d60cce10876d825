/** What every step of the demonstration needs. */
import type { Connection } from "../gateway/connection.ts";
import { openQueueContents, type QueueContents } from "../gateway/queue-contents.ts";
import { type DemoAnswer, type DemoRequest, exchange } from "./exchange.ts";
import type { Report } from "./report.ts";

export interface DemoContext {
  readonly connection: Connection;
  readonly queues: QueueContents;
  readonly report: Report;
  readonly stopping: AbortSignal;
  /**
   * Sends a request to the gateway and prints it, with a consumer's token unless `more` has headers. Throws if the
   * demonstration is being stopped.
   */
  readonly gateway: (
    method: DemoRequest["method"],
    path: string,
    more?: Partial<DemoRequest>,
  ) => Promise<DemoAnswer>;
}

/** Creates the context of a consumer with this token. */
export function createDemoContext(
  connection: Connection,
  report: Report,
  token: string,
  stopping: AbortSignal,
): DemoContext {
  return {
    connection,
    queues: openQueueContents(connection.storageConnectionString),
    report,
    stopping,
    gateway: async (method, path, more = {}) => {
      stopping.throwIfAborted();
      return exchange(report, {
        method,
        url: `${connection.gatewayUrl}${path}`,
        ...more,
        headers: more.headers ?? { authorization: `Bearer ${token}` },
      });
    },
  };
}
