/** Ten thousand requests made from the API document against the running product: each answer is one it names. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import { knownRooms } from "../support/arbitraries.ts";
import { faultOf, operationOf, operations } from "../support/openapi-answers.ts";
import { type GeneratedRequest, generatedRequests } from "../support/openapi-requests.ts";
import { type RunningGateway, startRunningGateway } from "../support/running-gateway.ts";

const seed = 20_260_115;
const requestCount = 10_000;
const requestsPerPlatform = 1000;
const clients = 16;

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway({
    settings: () => ({ MAX_VMR: "8", PLATFORM_MAX_CONCURRENCY: "20" }),
  });
});
afterAll(async () => gateway.stop());

test("10,000 generated requests: 0 undocumented statuses, 0 bodies off schema, 0 answers of 500", async () => {
  const token = gateway.stack.issuer.issueToken(identities.clientId);
  const requests = fc.sample(generatedRequests(token), { seed, numRuns: requestCount });
  const seen = new Map<string, number>();
  const faults: string[] = [];

  async function sendOne({ method, target, sent }: GeneratedRequest, index: number): Promise<void> {
    const name = `seed ${seed}, request ${index}: ${method} ${target} ${JSON.stringify(sent)}`;
    const answer = await gateway.send(`${method} ${target}`, sent).catch((error: unknown) => String(error));
    if (typeof answer === "string") {
      faults.push(`${name}: no answer, ${answer}`);
      return;
    }
    const operation = operationOf(method, target);
    const key = `${operation ? `${operation.method} ${operation.path}` : "none"} ${answer.status}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    const fault = faultOf(method, target, answer);
    if (fault) faults.push(`${name}: ${fault}`);
  }

  for (let start = 0; start < requestCount; start += requestsPerPlatform) {
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

  expect(faults.slice(0, 5)).toEqual([]);
  expect([...seen.values()].reduce((sum, count) => sum + count, 0)).toBe(requestCount);
  // The run is worth something only when it got through: every operation succeeded, and was refused.
  expect(operations.flatMap((operation) => missingStatuses(operation, [...seen.keys()]))).toEqual([]);
}, 300_000);

/** What an operation should have answered at least once in so many requests, and did not. */
function missingStatuses(
  { method, path, hasBody, query }: (typeof operations)[number],
  seen: readonly string[],
): string[] {
  const prefix = `${method} ${path} `;
  const statuses = seen.flatMap((key) => (key.startsWith(prefix) ? [Number(key.slice(prefix.length))] : []));
  const wanted = [...(path === "/public/health" ? [] : [401]), ...(hasBody || query.length > 0 ? [422] : [])];
  const missing = wanted.filter((status) => !statuses.includes(status)).map(String);
  return [...missing, ...(statuses.some((status) => status < 300) ? [] : ["2xx"])].map(
    (status) => prefix + status,
  );
}

test("the check itself finds what is not in the document", () => {
  const answer = { status: 200, headers: { "content-type": "application/json" }, text: "{}", json: {} };
  expect(faultOf("GET", "/public/health", answer)).toContain("off schema");
  expect(faultOf("GET", "/public/health", { ...answer, status: 418 })).toContain("undocumented");
  expect(faultOf("GET", "/public/health", { ...answer, status: 500 })).toBe("status 500");
  expect(faultOf("GET", "/public/health", { ...answer, status: 404 })).toContain("a body");
  expect(faultOf("GET", "/nothing", answer)).toContain("without an operation");
  expect(
    faultOf("GET", "/public/health", {
      ...answer,
      json: { status: "alive", timestamp: "2026-01-15T09:00:00.000Z" },
    }),
  ).toBeUndefined();
});
