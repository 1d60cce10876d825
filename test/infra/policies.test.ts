/** API Management: what its policies do with a call of each operation, in their order. */
import { statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadHttpContracts } from "../../tools/scripts/openapi/document.ts";
import { operations } from "../support/api-document.ts";
import {
  apply,
  type Call,
  type Element,
  effectivePolicies,
  type Section,
} from "../support/infra/policies.ts";
import { onlyOf, snapshotOf } from "../support/infra/snapshots.ts";

const testing = snapshotOf("test");
const existing = snapshotOf("existing");
const policies = effectivePolicies(testing);
const everyPolicy = [...policies];

/** The rule by which API Management names an imported operation. */
const operationName = (operationId: string): string =>
  operationId.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
const contracts = await loadHttpContracts();
const contractOf = (operation: string) => {
  const found = Object.entries(contracts).find(
    ([name]) => operationName(name.replaceAll(/[A-Z]/g, "_$&")) === operation.replace(/-head$/, ""),
  );
  return found?.[1];
};
const isPrivate = (operation: string) => contractOf(operation)?.access === "application";
const privateOperations = [...policies.keys()].filter(isPrivate);
const publicOperations = [...policies.keys()].filter((name) => !isPrivate(name));
const ofBrowsers = publicOperations.filter((name) => name !== "event-sink");

const elementsOf = (operation: string, section: Section, from = policies): readonly Element[] =>
  from.get(operation)?.[section] ?? [];
function onlyElement(operation: string, name: string, from = policies): Element {
  const found = elementsOf(operation, "inbound", from).filter((element) => element.name === name);
  expect(found).toHaveLength(1);
  return found[0] as Element;
}
const children = ({ children: all }: Element, name: string) => all.filter((child) => child.name === name);
const call = (headers: Readonly<Record<string, string>> = {}, more: Partial<Call> = {}): Call => ({
  headers: new Map(Object.entries(headers)),
  variables: new Map(),
  ...more,
});

test("Exactly the documented operations and HEAD of the health check have a policy", () => {
  const documented = operations.map(({ operationId }) => operationName(operationId));
  const lists = "privateOperations or publicOperations in infra/api-management.bicep";
  expect([...policies.keys()].toSorted(), `add the operation to ${lists}`).toEqual(
    [...documented, "health-check-head"].toSorted(),
  );
  expect(onlyOf(testing, "ApiManagement/service/apis/operations").properties).toMatchObject({
    method: "HEAD",
    urlTemplate: "/public/health",
  });
});

describe.each(everyPolicy)("A call of %s", (operation, policy) => {
  test("Passes these steps in this order", () => {
    const names = policy.inbound.map(({ name, attributes }) =>
      name.startsWith("set-") ? attributes["name"] : name,
    );
    const first = ["base", "x-correlation-id", "correlationId", "x-api-management-secret", "x-functions-key"];
    const own = isPrivate(operation)
      ? ["validate-azure-ad-token", "rate-limit-by-key", "choose"]
      : [...(ofBrowsers.includes(operation) ? ["cors"] : []), "rate-limit-by-key", "choose"];
    expect(names).toEqual([...first, ...own]);
    expect(policy.outbound.filter(({ name }) => !["base", "set-header"].includes(name))).toEqual([]);
    expect(policy["on-error"].map(({ name }) => name)).toEqual([
      "base",
      "set-header",
      "choose",
      "set-header",
      "set-body",
    ]);
    // Longer than the longest operation, bulk delete with 150 s.
    expect(policy.backend.map(({ name, attributes }) => [name, attributes])).toEqual([
      ["forward-request", { timeout: "200" }],
    ]);
  });

  test("Keeps the caller's correlation ID, or gets the ID of the request", () => {
    const own = apply(policy.inbound, call({ "x-correlation-id": "mine" }));
    expect([own.headers.get("x-correlation-id"), own.variables.get("correlationId")]).toEqual([
      "mine",
      "mine",
    ]);
    const without = apply(policy.inbound, call());
    expect(without.headers.get("x-correlation-id")).toBe("id-of-the-request");
    expect(without.variables.get("correlationId")).toBe("id-of-the-request");
  });

  test("Reaches the app with API Management's secret, and without a function key", () => {
    const { headers } = apply(
      policy.inbound,
      call({ "x-functions-key": "key", "x-api-management-secret": "guessed" }),
    );
    expect(headers.has("x-functions-key")).toBe(false);
    const { displayName } = onlyOf(testing, "ApiManagement/service/namedValues").properties;
    expect(headers.get("x-api-management-secret")).toBe(`{{${displayName}}}`);
  });

  test("Gets a response with the app's correlation ID, or its own, and without the names of software", () => {
    const software = {
      server: "Kestrel",
      "x-powered-by": "ASP.NET",
      "x-aspnet-version": "4",
      "request-context": "appId=",
      "x-ms-middleware-request-id": "1",
    };
    const variables = new Map([["correlationId", "mine"]]);
    const replaced = apply(
      policy.outbound,
      call({ ...software, "x-correlation-id": "of the app", "x-invocation-id": "1" }, { variables }),
    );
    expect(Object.fromEntries(replaced.headers)).toEqual({
      "x-correlation-id": "of the app",
      "x-invocation-id": "1",
    });
    expect(apply(policy.outbound, call(software, { variables })).headers).toEqual(
      new Map([["x-correlation-id", "mine"]]),
    );
  });

  test.each([
    [401, "wrong token", undefined, '{"detail":"Not authenticated"}', 'Bearer realm="vmr-gateway"'],
    [
      401,
      "wrong token",
      "bearer wrong",
      '{"detail":"Not authenticated"}',
      'Bearer realm="vmr-gateway", error="invalid_token"',
    ],
    [404, "Resource not found", undefined, "", undefined],
    [429, "Too Many Requests", undefined, '{"detail":"Too Many Requests"}', undefined],
    [500, undefined, undefined, '{"detail":"Error"}', undefined],
  ])("Gets an error %i in the form of the app", (status, reason, authorization, body, challenge) => {
    const request = {
      status,
      ...(reason && { reason }),
      ...(authorization && { authorization }),
      variables: new Map([["correlationId", "mine"]]),
    };
    const failed = apply(policy["on-error"], call({ "x-correlation-id": "other" }, request));
    expect(failed.body).toBe(body);
    expect(Object.fromEntries(failed.headers)).toEqual({
      "x-correlation-id": "mine",
      "content-type": "application/json",
      ...(challenge && { "www-authenticate": challenge }),
    });
    expect(apply(policy["on-error"], call({}, { status })).headers.get("x-correlation-id")).toBe(
      "id-of-the-request",
    );
  });

  test("Is refused if its body is larger than the app's limit", () => {
    const contract = operation === "event-sink" ? contracts["eventSink"] : contracts["updateRoom"];
    const [when, ...others] = onlyElement(operation, "choose").children;
    expect(others).toEqual([]);
    expect(when?.attributes["condition"]).toBe(
      `@(long.Parse(context.Request.Headers.GetValueOrDefault("Content-Length", "0")) > ${contract?.body?.maxBytes})`,
    );
    const [response] = when?.children ?? [];
    expect(response?.name).toBe("return-response");
    expect(
      response?.children.map(({ name, attributes, text }) => [name, attributes["code"] ?? text]),
    ).toEqual([
      ["set-status", "413"],
      ["set-header", ""],
      ["set-body", '{"detail": "Content Too Large"}'],
    ]);
    expect(apply(response?.children ?? [], call()).headers.get("content-type")).toBe("application/json");
  });

  test("Counts towards its rate limit, which the response names", () => {
    const { "counter-key": key = "", ...attributes } = onlyElement(operation, "rate-limit-by-key").attributes;
    const calls = operation === "event-sink" ? "6000" : "600";
    expect(attributes).toEqual({
      calls,
      "renewal-period": "60",
      "remaining-calls-header-name": "RateLimit-Remaining",
      "total-calls-header-name": "RateLimit-Limit",
    });
    expect(key.replaceAll(/\s+/g, " ")).toBe(
      isPrivate(operation)
        ? '@{ var claims = ((Jwt)context.Variables["token"]).Claims; return "client-" + claims.GetValueOrDefault("azp", claims.GetValueOrDefault("appid", "unknown")); }'
        : '@(context.Operation.Id + "-" + context.Request.IpAddress)',
    );
    const found = operations.find(
      ({ operationId }) => operationName(operationId) === operation.replace(/-head$/, ""),
    );
    expect(found?.responses["429"]?.description).toContain(` ${calls} calls per minute`);
  });
});

test("Each rate limit is its variable's value", () => {
  const changed = effectivePolicies(existing);
  const limitOf = (name: string) => onlyElement(name, "rate-limit-by-key", changed).attributes["calls"];
  expect(privateOperations.map(limitOf)).toEqual(privateOperations.map(() => "11"));
  expect(publicOperations.map(limitOf)).toEqual(
    publicOperations.map((name) => (name === "event-sink" ? "33" : "22")),
  );
});

test.each(privateOperations)("%s checks the token's tenant, clients and audiences", (operation) => {
  const token = onlyElement(operation, "validate-azure-ad-token");
  expect(token.attributes).toEqual({
    "tenant-id": "00000000-0000-4000-8000-00000000a200",
    "header-name": "Authorization",
    "output-token-variable-name": "token",
  });
  // The policy's schema requires this order.
  expect(token.children.map(({ name, children: values }) => [name, values.map(({ text }) => text)])).toEqual([
    ["client-application-ids", ["00000000-0000-4000-8000-00000000c201"]],
    ["audiences", ["api://00000000-0000-4000-8000-00000000c201", "00000000-0000-4000-8000-00000000c201"]],
  ]);
});

test.each(ofBrowsers)("%s can be called by the widget without credentials of the browser", (operation) => {
  const cors = onlyElement(operation, "cors");
  expect(cors.attributes).toEqual({ "allow-credentials": "false", "terminate-unmatched-request": "false" });
  const values = (name: string) =>
    children(cors, name).flatMap(({ children: all }) => all.map(({ text }) => text));
  expect(values("allowed-origins")).toEqual(["https://widget-test.example.com"]);
  expect(values("allowed-methods")).toEqual(["GET"]);
  expect(values("allowed-headers")).toEqual(["x-auth-token", "x-correlation-id"]);
  expect(values("expose-headers")).toEqual([
    "x-correlation-id",
    "x-invocation-id",
    "Retry-After",
    "RateLimit-Limit",
    "RateLimit-Remaining",
  ]);
  const others = onlyElement(operation, "cors", effectivePolicies(existing));
  expect(
    children(others, "allowed-origins").flatMap(({ children: all }) => all.map(({ text }) => text)),
  ).toHaveLength(2);
});

test.each(["first-run", "production", "existing"])(
  "In %s, a caller's own secret header is removed, as the app requires none",
  (name) => {
    for (const { inbound } of effectivePolicies(snapshotOf(name)).values())
      expect(
        apply(inbound, call({ "x-api-management-secret": "guessed" })).headers.has("x-api-management-secret"),
      ).toBe(false);
  },
);

test("The API calls the app over HTTPS, needs no subscription key, and logs no service tag", () => {
  const api = onlyOf(testing, "ApiManagement/service/apis").properties;
  expect(api["serviceUrl"]).toMatch(/https:\/\/\{0\}.*\/func-vmr-test-\w+', '[\d-]+'\)\.defaultHostName/);
  expect(api).toMatchObject({
    protocols: ["https"],
    subscriptionRequired: false,
    path: "",
    format: "openapi+json",
  });
  expect(onlyOf(existing, "ApiManagement/service/apis").properties["path"]).toBe("rooms");
  const masked = { request: { dataMasking: { queryParams: [{ value: "uuiData", mode: "Hide" }] } } };
  expect(onlyOf(testing, "ApiManagement/service/apis/diagnostics").properties).toMatchObject({
    frontend: masked,
    backend: masked,
  });
});

test("The API document is small enough to be loaded into a template", () => {
  // https://learn.microsoft.com/azure/azure-resource-manager/bicep/bicep-functions-files#loadtextcontent
  expect(statSync("openapi.json").size).toBeLessThan(131_072);
});
