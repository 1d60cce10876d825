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
   * Sends a request to the gateway as an authorised consumer and shows it; headers given win. Throws when the
   * demonstration is to stop.
   */
  readonly gateway: (
    method: DemoRequest["method"],
    path: string,
    more?: Partial<DemoRequest>,
  ) => Promise<DemoAnswer>;
}

/** Prepares the stage for a consumer with this token. */
export function createStage(
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
