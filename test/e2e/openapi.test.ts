/** The API document, operation by operation, compared with what a running gateway returns. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import type { Received } from "../../tools/simulators/exchange.ts";
import { identities } from "../../tools/simulators/identities.ts";
import { document } from "../support/api-document.ts";
import { headersOf, type Operation, operations, violationOf } from "../support/api-operations.ts";
import { asEventSink } from "../support/credentials.ts";
import { tableBelow, unquoted } from "../support/markdown-table.ts";
import { addRoomsOfRequests, type Request, sendOneOfEach } from "../support/one-of-each.ts";
import { type Proxy, startProxy } from "../support/proxy.ts";
import { useRunningGateway } from "../support/running-gateway.ts";

const Component = z.object({
  properties: z.record(z.string(), z.object({ nullable: z.boolean().optional() })),
  required: z.array(z.string()).optional(),
});

let queues: Proxy;
afterAll(async () => queues.stop());
const gateway = useRunningGateway(async ({ AzureWebJobsStorage = "" }) => {
  const queueUrl = /QueueEndpoint=([^;]+)/.exec(AzureWebJobsStorage)?.[1] ?? "";
  queues = await startProxy(queueUrl);
  // No request is for a room that another one would take.
  return { MAX_VMR: "0", AzureWebJobsStorage: AzureWebJobsStorage.replace(queueUrl, queues.url) };
});

interface Situation {
  readonly change?: (request: Request, operation: Operation) => Request;
  readonly begin?: () => unknown;
  readonly end?: () => unknown;
}

const withHeaders = (headers: Request["headers"]): Situation => ({
  change: (request) => ({ ...request, headers: { ...request.headers, ...headers } }),
});
const withQuery = (query: string): Situation => ({
  change: (request) => ({ ...request, target: `${request.target.replace(/\?.*/, "")}?${query}` }),
});
const withBody = (body: Pick<Request, "json" | "text">): Situation => ({
  change: ({ target, headers = {} }, { hasBody }) => ({ target, headers, ...(hasBody && body) }),
});
const withCredentials = (credentials: () => Readonly<Record<string, Request["headers"]>>): Situation => ({
  change: (request, { security = "" }) => ({ ...request, headers: credentials()[security] ?? {} }),
});

/** Each parameter of any operation, sent twice or with an invalid value: the operations without it ignore it. */
const invalidInputs = {
  ...Object.fromEntries(
    ["uuiData", "max_vmr", "constrained_attributes"].map((name) => [name, withQuery(`${name}=1&${name}=1`)]),
  ),
  "idempotency-key": withHeaders({ "idempotency-key": "not valid: é" }),
};

const platform = () => gateway.stack.platform;
const situations: Readonly<Record<string, Situation>> = {
  "a valid request": {},
  "the full shape": withQuery("constrained_attributes=false"),
  "nothing that the request is about": { begin: async () => gateway.empty() },
  "no credentials": withCredentials(() => ({})),
  "credentials of somebody else": withCredentials(() => ({
    bearerToken: {
      authorization: `Bearer ${gateway.stack.issuer.issueToken({ claims: { appid: "another" } })}`,
    },
    agentToken: { "x-auth-token": identities.otherAgentToken },
    eventSinkCredentials: asEventSink("x", "y"),
  })),
  ...invalidInputs,
  "an invalid body": withBody({ json: [] }),
  "a body without a length": {
    change: (request, { method }) => {
      const target = request.target.replace(/\?.*/, "");
      const type = { "content-type": "application/json", "transfer-encoding": "chunked" };
      const headers = { ...request.headers, ...type };
      return method === "POST" || method === "PATCH" ? { target, headers, text: "{}" } : request;
    },
  },
  "a large body": withBody({ text: " ".repeat(1024 * 1024 + 1) }),
  "a zero byte": {
    change: (request) => ({ ...request, target: request.target.replace(/\??$|\?/, "%00$&") }),
  },
  "large headers": withHeaders({ "x-large": "x".repeat(41_000) }),
  "a refusing platform": {
    begin: () => platform().addFault({ status: 400, body: {} }),
    end: () => platform().clearFaults(),
  },
  "no platform": {
    begin: async () => platform().goDown("refuse"),
    end: async () => platform().goUp(),
  },
  "no storage": { begin: () => queues.setDown(true), end: () => queues.setDown(false) },
};

/** Each operation with its response in each situation. */
const received: [situation: string, operation: Operation, response: Received][] = [];
beforeAll(async () => {
  for (const [name, { change = (request: Request) => request, begin, end }] of Object.entries(situations)) {
    await gateway.empty();
    await addRoomsOfRequests(gateway);
    await begin?.();
    const responses = await sendOneOfEach(gateway, change);
    for (const [operation, response] of responses) received.push([name, operation, response]);
    await end?.();
  }
});

const responsesTo = (operation: Operation) => received.filter(([, called]) => called === operation);
const ids = ["x-correlation-id", "x-invocation-id"];
const limits = ["ratelimit-limit", "ratelimit-remaining"];

/** The headers of what a gateway without API Management and without faults of its own does not return, by status. */
const elsewhere = { 414: [], 429: [...limits, "retry-after", "x-correlation-id"], 500: ids };
// Specification 4: every endpoint can answer 404.
const never: Readonly<Record<string, Readonly<Record<number, string[]>>>> = {
  "GET /room/list": { 404: ids },
  "POST /room/bulk/": { 404: ids },
  "DELETE /room/bulk/": { 404: ids },
  "POST /public/event_sink": { 404: ids },
  "GET /public/health": { 404: ids },
};

test.each(operations)(
  "`$name` returns the documented statuses with the documented headers and bodies",
  (operation) => {
    const violations = responsesTo(operation).map(([situation, , response]) => [
      situation,
      violationOf(operation, response),
    ]);
    expect(violations.filter(([, violation]) => violation !== undefined)).toEqual([]);
    const byStatus = Map.groupBy(responsesTo(operation), ([, , { status }]) => status);
    const returned = [...byStatus].map(([status, responses]) => {
      const headers = new Set(responses.flatMap(([, , response]) => headersOf(response)));
      // API Management adds them.
      return [status, [...headers, ...(status < 300 ? limits : [])].toSorted()] as const;
    });
    const documented = [...operation.responses].map(
      ([status, { headers }]) => [status, headers.toSorted()] as const,
    );
    expect(Object.fromEntries(documented), "mend one-of-each.ts for a success, else add to `never`").toEqual({
      ...Object.fromEntries(returned),
      ...elsewhere,
      ...never[operation.name],
    });
  },
);

test.each(operations)(
  "`$name` rejects an invalid value of each documented parameter and of no other",
  (operation) => {
    const rejected = responsesTo(operation).flatMap(([, , { status, json }]) =>
      status === 422
        ? z.object({ detail: z.array(z.object({ loc: z.array(z.string()) })) }).parse(json).detail
        : [],
    );
    const expected = [...operation.inputs, ...(operation.hasBody ? ["body"] : [])];
    // An unusable ID is replaced.
    const always = "header x-correlation-id";
    expect(rejected.map(({ loc }) => loc.join(" ")).toSorted()).toEqual(
      expected.filter((input) => input !== always).toSorted(),
    );
  },
);

/** Returns the objects in a response that a component describes, with its name. */
function objectsOf(schema: Readonly<Record<string, unknown>>, value: unknown): [component: string, object][] {
  const reference = schema["$ref"];
  const name = typeof reference === "string" ? reference.replace(/.*\//, "") : "";
  const { items, properties = {} } = { ...schema, ...document.components.schemas[name] };
  if (Array.isArray(value)) return value.flatMap((entry) => objectsOf(Object(items), entry));
  if (!(value instanceof Object)) return [];
  const parts = Object.entries(Object(properties)).flatMap(([field, part]) =>
    objectsOf(Object(part), Reflect.get(value, field)),
  );
  return name === "" ? [] : [[name, value], ...parts];
}

test("Responses have no undocumented fields outside the full shape, and the fields that are always there are required", () => {
  const all = received.flatMap(([, operation, { status, json }]) =>
    objectsOf(operation.responses.get(status)?.schema ?? {}, json),
  );
  const documented = [...Map.groupBy(all, ([name]) => name)].map(([name, entries]) => {
    const { properties, required = [] } = Component.parse(document.components.schemas[name]);
    const objects = entries.map(([, object]) => object);
    const own = objects.filter((object) => !("resource_uri" in object)).flatMap(Object.keys);
    const constant = Object.entries(properties).filter(
      ([field, { nullable }]) => !nullable && objects.every((object) => field in object),
    );
    return {
      name,
      required: required.toSorted(),
      constant: constant.map(([field]) => field).toSorted(),
      unknown: own.filter((field) => !(field in properties)),
    };
  });
  const names = documented.map(({ name }) => name).toSorted();
  expect(names, "add a new component to this list").toEqual([
    "Alias",
    "CreatedAlias",
    "CreatedRoom",
    "Failure",
    "HTTPValidationError",
    "Health",
    "Room",
    "ValidationError",
  ]);
  expect(documented).toEqual(documented.map((one) => ({ ...one, required: one.constant, unknown: [] })));
});

test("Operations need what the table in docs/operations.md says, and succeed while the rest is down", () => {
  const guide = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");
  const documented = tableBelow(guide, "## Behaviour during outages").flatMap(([names = "", needs = ""]) =>
    unquoted(names)
      .split(", ")
      .map((name) => [name, needs]),
  );
  const ofSecurity = new Map([
    ["bearerToken", "signing keys"],
    ["agentToken", "contact centre"],
  ]);
  const needed = operations.map((operation) => {
    const isDown = (dependency: string) => {
      const response = responsesTo(operation).find(([situation]) => situation === `no ${dependency}`);
      expect([503, operation.successStatus], `${operation.name} fails`).toContain(response?.[2].status);
      return response?.[2].status === 503;
    };
    const needs = [
      ofSecurity.get(operation.security ?? "") ?? [],
      ["platform", "storage"].filter(isDown),
    ].flat();
    return [operation.name, needs.join(", ") || "nothing"];
  });
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(needed));
});

test.each(operations)(
  "The issuer issues tokens for the scope of $name if it takes one",
  async ({ scope, security }) => {
    const { tokenUrl } = gateway.stack.issuer;
    const { clientId, clientSecret } = identities;
    const grant = { grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret };
    const body = new URLSearchParams({ ...grant, scope });
    const { status } = await fetch(tokenUrl, { method: "POST", body });
    expect(status).toBe(security === "bearerToken" ? 200 : 400);
  },
);
