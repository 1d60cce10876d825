/**
 * Requests generated from the API document: every response of the gateway is a documented one. FUZZ_REQUESTS says how
 * many; `npm run soak` sends 10,000.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { identities } from "../../tools/simulators/identities.ts";
import { nameOf, type Operation, operationOf, operations, violationOf } from "../support/api-operations.ts";
import { type GeneratedRequest, generatedRequests, knownRooms } from "../support/generated-requests.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const seed = 20_260_115;
const requestCount = Number(process.env["FUZZ_REQUESTS"] ?? 600);
const requestsPerPlatform = 100;
const clients = 16;

const gateway = useRunningGateway({
  settings: () => ({ MAX_VMR: "8", PLATFORM_MAX_CONCURRENCY: "20" }),
});

test("The gateway responds to generated requests with documented statuses and valid bodies, and never with 500", async () => {
  const token = gateway.stack.issuer.issueToken(identities.clientId);
  const withoutCredentials = operations.map(({ method, path }) => ({ method, target: path, sent: {} }));
  const generated = fc.sample(generatedRequests(token), { seed, numRuns: requestCount });
  const requests: GeneratedRequest[] = [...withoutCredentials, ...generated];
  const seen = new Map<string, number>();
  const violations: string[] = [];

  async function sendOne({ method, target, sent }: GeneratedRequest, index: number): Promise<void> {
    const name = `seed ${seed}, request ${index}: ${method} ${target} ${JSON.stringify(sent)}`;
    const response = await gateway.send(`${method} ${target}`, sent).catch((error: unknown) => String(error));
    if (typeof response === "string") {
      violations.push(`no response, ${response}: ${name}`);
      return;
    }
    const operation = operationOf(method, target);
    const key = `${operation ? nameOf(operation) : "none"} ${response.status}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    const violation = violationOf(method, target, response);
    if (violation) violations.push(`${violation}: ${name}`);
  }

  for (let start = 0; start < requests.length; start += requestsPerPlatform) {
    await gateway.queues.pool.clear();
    gateway.stack.platform.reset();
    gateway.stack.platform.seedRooms({ mixed: true });
    for (const name of knownRooms) gateway.addRoom(name);
    const waiting = [...requests.slice(start, start + requestsPerPlatform).entries()];
    const client = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await sendOne(next[1], start + next[0]);
    };
    await Promise.all(Array.from({ length: clients }, client));
  }

  expect(violations.slice(0, 5)).toEqual([]);
  expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(requests.length);
  // The run proves something only if every operation succeeded at least once and rejected a request at least once.
  const unseen = operations.flatMap((operation) => missingStatuses(operation, [...seen.keys()]));
  expect(unseen, "no request got these statuses: generate better values").toEqual([]);
}, 300_000);

/** The statuses that an operation should have returned at least once and did not. */
function missingStatuses(operation: Operation, seen: readonly string[]): string[] {
  const { security, hasBody, query } = operation;
  const prefix = `${nameOf(operation)} `;
  const statuses = seen.flatMap((key) => (key.startsWith(prefix) ? [Number(key.slice(prefix.length))] : []));
  const wanted = [...(security === undefined ? [] : [401]), ...(hasBody || query.length > 0 ? [422] : [])];
  const missing = wanted.filter((status) => !statuses.includes(status)).map(String);
  return [...missing, ...(statuses.some((status) => status < 300) ? [] : ["2xx"])].map(
    (status) => prefix + status,
  );
}
