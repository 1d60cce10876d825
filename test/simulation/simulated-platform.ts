/** The platform client on top of the conference table, with the timeouts and failures of the real client. */
import {
  bodyOf,
  type PlatformCall,
  type PlatformClient,
  type PlatformResponse,
} from "../../src/lib/platform/client.ts";
import { PlatformError } from "../../src/lib/platform/errors.ts";
import type { ConferenceTable } from "./conference-table.ts";
import type { Fault, Ports } from "./faults.ts";
import type { Ledger } from "./ledger.ts";
import type { Scheduler } from "./scheduler.ts";
import { requireTask, type Task } from "./task.ts";

export interface SimulatedPlatformOptions {
  readonly table: ConferenceTable;
  readonly ports: Ports;
  readonly ledger: Ledger;
  readonly scheduler: Scheduler;
  /** Of calls that name no timeout. */
  readonly timeoutSeconds: number;
}

export function simulatePlatform(options: SimulatedPlatformOptions): PlatformClient {
  const { table, ports, ledger, scheduler } = options;

  async function call(given: PlatformCall): Promise<PlatformResponse> {
    const request = { ...given, body: bodyOf(given) };
    const name = `${request.method} ${request.path}`;
    if (request.startBefore !== undefined && scheduler.now() >= request.startBefore) {
      throw new PlatformError({
        outcome: "not-sent",
        isTimeout: true,
        message: `${name}: too late to send it`,
      });
    }
    const task = requireTask();
    const finishRead = ledger.onPlatformRead(request, task);
    const isAssignment = request.method === "PATCH" && task.functionName.startsWith("createRoom");
    const finishAssignment = isAssignment ? ledger.onAssignment(task) : () => undefined;
    try {
      const response = await ports.call({
        label: () => `${name} ${JSON.stringify(request.query ?? request.body ?? "")}`,
        target: "platform",
        timeoutSeconds: request.timeoutSeconds ?? options.timeoutSeconds,
        effect: () => table.respond(request, ledger.tableObserver(task)),
        failure: (fault, isTimeout) => failureOf(name, fault, isTimeout, task),
        malformedResponse: { body: "<html>Please wait</html>" },
      });
      finishRead(typeof response.body === "object" ? "response" : "refused");
      finishAssignment("known");
      return response;
    } catch (error) {
      if (error instanceof PlatformError) {
        finishRead(error.outcome === "refused" && error.platformStatus !== 429 ? "refused" : "unavailable");
        finishAssignment(error.outcome === "refused" ? "known" : error.outcome);
      }
      throw error;
    }
  }
  return { call, background: { call } };
}

function failureOf(name: string, fault: Fault, isTimeout: boolean, { random }: Task): PlatformError {
  if (fault === "not-sent")
    return new PlatformError({ outcome: "not-sent", message: `${name}: ECONNREFUSED` });
  if (fault === "refused")
    return new PlatformError({ outcome: "refused", status: 403, message: `${name}: status 403` });
  if (fault === "throttled") {
    const retryAfterSeconds = [undefined, 1, 30][random.integerBelow(3)];
    return new PlatformError({
      outcome: "refused",
      status: 429,
      message: `${name}: status 429`,
      retryAfterSeconds,
    });
  }
  if (isTimeout) return new PlatformError({ outcome: "unknown", isTimeout, message: `${name}: ETIMEDOUT` });
  const status = [undefined, 500, 502, 503][random.integerBelow(4)];
  return new PlatformError({ outcome: "unknown", status, message: `${name}: ${status ?? "ECONNRESET"}` });
}
