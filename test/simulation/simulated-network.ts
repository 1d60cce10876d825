/** The network between the gateway and the simulated platform, whose requests can fail. */
import { PlatformError } from "../../src/lib/platform/errors.ts";
import type { PlatformTransport } from "../../src/lib/platform/transport.ts";
import { type Fault, type Ports, requireTask, type Task } from "./faults.ts";
import type { Ledger } from "./ledger.ts";
import type { SimulatedPlatform } from "./simulated-platform.ts";

/** Returns the network between a process and the platform, whose requests can fail. */
export function simulateNetwork(
  platform: SimulatedPlatform,
  ports: Ports,
  ledger: Ledger,
  timeoutSeconds: number,
): PlatformTransport {
  return async (request) => {
    const name = `${request.method} ${request.path}`;
    const task = requireTask();
    const finishRead = ledger.onPlatformCall(request, task);
    try {
      const response = await ports.call({
        label: () => `${name} ${JSON.stringify(request.query ?? request.body ?? "")}`,
        target: "platform",
        timeoutSeconds: request.timeoutSeconds ?? timeoutSeconds,
        effect: async () => platform.carryOut(request, ledger.platformObserver(task)),
        failure: (fault, isTimeout) => failureOf(name, fault, isTimeout, task),
      });
      const isRead = response.status < 300 && typeof response.body === "object";
      finishRead(isRead ? "response" : kindOfFailure(response.status));
      return response;
    } catch (error) {
      if (error instanceof PlatformError) finishRead(kindOfFailure(error.platformStatus));
      throw error;
    }
  };
}

const kindOfFailure = (status: number | undefined) =>
  [403, 404].includes(status ?? 0) ? "refused" : "unavailable";

function failureOf(name: string, fault: Fault, isTimeout: boolean, { random }: Task): PlatformError {
  type Details = Omit<ConstructorParameters<typeof PlatformError>[0], "message">;
  const fail = (what: string, details: Details) =>
    new PlatformError({ ...details, message: `${name}: ${what}` });
  if (fault === "not-sent") return fail("ECONNREFUSED", { outcome: "not-sent" });
  if (fault === "refused") return fail("status 403", { outcome: "refused", status: 403 });
  if (fault === "throttled") {
    const retryAfterSeconds = [undefined, 1, 30][random.integerBelow(3)];
    return fail("status 429", { outcome: "refused", status: 429, retryAfterSeconds });
  }
  if (isTimeout) return fail("ETIMEDOUT", { outcome: "unknown", code: "platform-timeout" });
  const status = [undefined, 500, 502, 503][random.integerBelow(4)];
  return fail(`${status ?? "ECONNRESET"}`, { outcome: "unknown", status });
}
