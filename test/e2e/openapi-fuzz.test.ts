/**
 * Requests generated from the API document: every response of the gateway is a documented one. FUZZ_REQUESTS says how
 * many; `npm run soak` sends 10,000.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Sent } from "../../tools/simulators/exchange.ts";
import { identities } from "../../tools/simulators/identities.ts";
import {
  nameOf,
  type Operation,
  operationOf,
  operations,
  validRequest,
  violationOf,
} from "../support/api-operations.ts";
import { asAgent, asEventSink } from "../support/credentials.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const seed = 20_260_115;
const requestCount = Number(process.env["FUZZ_REQUESTS"] ?? 600);
const requestsPerPlatform = 100;
const clients = 16;

const gateway = useRunningGateway(() => ({ MAX_VMR: "8", PLATFORM_MAX_CONCURRENCY: "20" }));

test("The gateway responds to generated requests with documented statuses and valid bodies, and never with 500", async () => {
  const token = gateway.stack.issuer.issueToken();
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
});

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

interface GeneratedRequest {
  readonly method: string;
  readonly target: string;
  readonly sent: Sent;
}

/** Rooms that exist on the platform, so some requests find one. */
const knownRooms = ["room-1", "room-2", "room-3", "a/b", "Zürich ☃", "test_room"];

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const weighted = <T>(...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Any text without lone surrogates. */
const anyText = fc.string({ unit: "binary", maxLength: 40 });

const theme = { resource_uri: "/api/admin/configuration/v1/ivr_theme/1/" };
const fieldValue = weighted<unknown>(
  [2, oneOf<unknown>(null, true, 5, 2.5, -1, [], {}, ["x"], [null], [{ id: 1 }], [theme])],
  [2, oneOf("", "yes", "true", "5", "135791", "2026-01-01T00:00:00", "room-1")],
  [1, fc.jsonValue({ maxDepth: 2 })],
);
const field = fc.oneof(
  oneOf("name", "aliases", "pin", "guest_pin", "allow_guests", "description", "participant_limit", "id"),
  oneOf("ivr_theme", "automatic_participants", "creation_time", "call_type", "tag", "host_view"),
  oneOf("an_unknown_field", "__proto__"),
);
const roomBody = fc.dictionary(field, fieldValue, { maxKeys: 5 });

const kind = oneOf<unknown>("conference_ended", "conference_started", "eventsink_bulk", "x", 5, null);
const ended = fc.record({ name: oneOf<unknown>(...knownRooms, null, 5, "", "x".repeat(251)) });
const bulk = fc.array(fc.record({ event: kind, data: ended }), { maxLength: 4 });
const eventBody = fc.record({ event: kind, data: fc.oneof(ended, bulk, fc.jsonValue({ maxDepth: 3 })) });

const absurdTexts = ["", "{", "[]", "null", '"x"', "{}{}", "\ufeff{}", "\u0000", '{"pin":1e999}'];
const absurdHeaders = oneOf<Record<string, string>>(
  { "content-type": "application/json" },
  { "content-type": "application/json,text/plain" },
  { "content-type": "" },
  { "transfer-encoding": "chunked", "content-type": "application/json" },
);
const absurdBody = fc.record({ text: oneOf(...absurdTexts), headers: absurdHeaders });

/** The body of a request, with its headers. */
function body({ hasBody, path }: Operation): fc.Arbitrary<Sent> {
  if (!hasBody) return weighted<Sent>([6, fc.constant({})], [1, absurdBody]);
  const usual = path.includes("event_sink") ? eventBody : roomBody;
  return weighted<Sent>(
    [6, fc.record({ json: usual })],
    [2, fc.record({ json: oneOf({}, { participant_limit: 5 }) })],
    [1, fc.record({ json: fc.jsonValue() })],
    [3, absurdBody],
  );
}

const absurdSegments = ["%", "%zz", "%00", "%2F", "%C3%28", "x".repeat(300), "list", "Bulk", "", "a;b", "~"];
const roomSegment = weighted(
  [6, oneOf(...knownRooms).map(encodeURIComponent)],
  [2, anyText.map(encodeURIComponent)],
  [1, oneOf(...absurdSegments)],
);

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");
const tags = [hex("https://verify.example.com/1"), hex("token-1"), "0", "zz", ";encoding=hex", "c328", "00"];
const queryValues = new Map([
  ["constrained_attributes", oneOf("true", "false", "1", "on", "No", "", "2", "maybe", "true,false")],
  // Small, as each is a room to provision.
  ["max_vmr", oneOf("0", "1", "5", "8.0", "-1", "10001", "1e3", "abc", "", "9".repeat(30))],
  ["uuiData", oneOf(...tags)],
]);

/** The query with its question mark, or nothing: any parameters with usual values or any text. */
function query({ query: names }: Operation): fc.Arbitrary<string> {
  const parameter = oneOf(...names, ...names, "unknown", "__proto__", "").chain((name) =>
    fc.tuple(fc.constant(name), weighted([4, queryValues.get(name) ?? anyText], [1, anyText])),
  );
  return fc
    .array(parameter, { maxLength: names.length + 1 })
    .map((parameters) => `?${new URLSearchParams(parameters).toString()}`.replace(/^\?$/, ""));
}

const target = (operation: Operation) =>
  fc
    .tuple(roomSegment, oneOf("", "", "", "", "/", "/", "//"), query(operation))
    .map(([room, slash, search]) => {
      const path = operation.path.replace(/\/$/, "").replace("{room_name}", () => room);
      return `${path}${slash}${search}`;
    });

function credentials(operation: Operation, token: string): fc.Arbitrary<Sent["headers"]> {
  const wrong = oneOf<Sent["headers"]>(
    { authorization: `Bearer ${token}` },
    { authorization: `Bearer ${token.slice(0, 99)}` },
    asAgent,
    asEventSink("x", "y"),
    { "x-auth-token": identities.otherAgentToken },
    { "x-auth-token": "ö" },
    {},
  );
  return weighted([6, fc.constant(validRequest(operation, token).sent.headers)], [1, wrong]);
}

const isBulk = ({ path }: Operation) => path.startsWith("/room/bulk");

/** `token` is the bearer token of the requests that may succeed. */
function generatedRequests(token: string): fc.Arbitrary<GeneratedRequest> {
  // A bulk operation takes a hundred times as long as any other.
  const operation = weighted(
    [30, oneOf(...operations.filter((entry) => !isBulk(entry)))],
    [1, oneOf(...operations.filter(isBulk))],
  );
  const anyMethod = oneOf("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");
  return operation.chain((chosen) =>
    fc
      .record({
        method: weighted([14, fc.constant(chosen.method)], [1, anyMethod]),
        target: target(chosen),
        headers: credentials(chosen, token),
        sent: body(chosen),
      })
      .map(({ method, target, headers, sent }) => ({
        method,
        target,
        sent: { ...sent, headers: { ...headers, ...sent.headers } },
      })),
  );
}
