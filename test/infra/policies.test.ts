/** API Management: what its policies do with a call of each operation, in their order. */
import { statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadHttpContracts } from "../../scripts/openapi/document.ts";
import { maxBodyBytes } from "../../src/lib/http/body.ts";
import { operations } from "../support/api-document.ts";
import { apply, type Call, type Element, effectivePolicies, type Policy } from "../support/infra/policies.ts";
import { onlyOf, snapshotOf } from "../support/infra/snapshots.ts";

const testing = snapshotOf("test");
const policies = effectivePolicies(testing);
const ofExisting = effectivePolicies(snapshotOf("existing"));

/** The rule by which API Management names an imported operation. */
const nameOf = (operationId: string): string => operationId.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
const contracts = await loadHttpContracts();
const contractOf = (operation: string) =>
  Object.entries(contracts).find(
    ([name]) => nameOf(name.replaceAll(/[A-Z]/g, "_$&")) === operation.replace(/-head$/, ""),
  )?.[1];
const isPrivate = (operation: string) => contractOf(operation)?.access === "application";
const isOfBrowsers = (operation: string) => !isPrivate(operation) && operation !== "event-sink";
const documentedOf = (operation: string) =>
  operations.find(({ operationId }) => nameOf(operationId) === operation.replace(/-head$/, ""));

/** The limit whose headers callers see. It is the last. */
const limitOf = ({ inbound }: Policy) =>
  inbound.findLast(({ name }) => name === "rate-limit-by-key")?.attributes ?? {};

function elementOf({ inbound }: Policy, name: string): Element {
  const [found, ...others] = inbound.filter((element) => element.name === name);
  if (!found || others.length > 0) throw new Error(`There is not exactly one ${name}`);
  return found;
}
const textsOf = ({ children }: Element, name: string) =>
  children.filter((child) => child.name === name).flatMap((child) => child.children.map(({ text }) => text));

type Headers = Readonly<Record<string, string>>;
/** Returns the call after these elements, with its headers as an object. */
function after(elements: readonly Element[], headers: Headers = {}, more: Partial<Call> = {}) {
  const call = apply(elements, { headers: new Map(Object.entries(headers)), variables: new Map(), ...more });
  return { ...call, headers: Object.fromEntries(call.headers) };
}
const withId = { variables: new Map([["correlationId", "mine"]]) };

test("Exactly the documented operations and HEAD of the health check have a policy", () => {
  const expected = [...operations.map(({ operationId }) => nameOf(operationId)), "health-check-head"];
  const lists =
    "privateOperations or publicOperations in infra/api-management.bicep, and run `npm run snapshots`";
  expect([...policies.keys()].toSorted(), `add the operation to ${lists}`).toEqual(expected.toSorted());
  const { method, urlTemplate } = onlyOf(testing, "ApiManagement/service/apis/operations").properties;
  expect(`${method} ${urlTemplate}`).toBe("HEAD /public/health");
});

describe.each([...policies])("A call of %s", (operation, policy) => {
  test("Passes the expected steps in their order", () => {
    const names = policy.inbound.map(({ name, attributes }) =>
      name.startsWith("set-") ? attributes["name"] : name,
    );
    const ofAll = "base x-correlation-id correlationId x-api-management-secret x-functions-key";
    const ofToken = "rate-limit-by-key validate-azure-ad-token ";
    const own = isPrivate(operation) ? ofToken : isOfBrowsers(operation) ? "cors " : "";
    expect(names.join(" ")).toBe(`${ofAll} ${own}rate-limit-by-key choose`);
    expect(new Set(policy.outbound.map(({ name }) => name))).toEqual(new Set(["base", "set-header"]));
    const onError = policy["on-error"].map(({ name }) => name).join(" ");
    expect(onError).toBe("base set-header choose set-header set-body");
    const [forward, ...others] = policy.backend;
    // Longer than the longest operation, bulk delete with 150 s.
    expect([forward?.name, forward?.attributes, others]).toEqual(["forward-request", { timeout: "200" }, []]);
  });

  test("Keeps the caller's correlation ID, or gets the ID of the request", () => {
    for (const [sent, used] of [
      [{ "x-correlation-id": "mine" }, "mine"],
      [{}, "id-of-the-request"],
    ] as const) {
      const { headers, variables } = after(policy.inbound, sent);
      expect([headers["x-correlation-id"], variables.get("correlationId")]).toEqual([used, used]);
    }
  });

  test("Reaches the app without a function key, and without a secret that another gateway trusts", () => {
    const sent = { "x-functions-key": "key", "x-api-management-secret": "guessed" };
    expect(after(policy.inbound, sent).headers).toEqual({ "x-correlation-id": "id-of-the-request" });
  });

  test("Gets a response with a correlation ID, of the app or its own, and without the names of software", () => {
    const names = [
      "server",
      "x-powered-by",
      "x-aspnet-version",
      "request-context",
      "x-ms-middleware-request-id",
    ];
    const software = Object.fromEntries(names.map((name) => [name, "a name"]));
    const ofApp = { "x-correlation-id": "of the app", "x-invocation-id": "1" };
    expect(after(policy.outbound, { ...software, ...ofApp }, withId).headers).toEqual(ofApp);
    expect(after(policy.outbound, software, withId).headers).toEqual({ "x-correlation-id": "mine" });
  });

  const realm = 'Bearer realm="vmr-gateway"';
  test.each([
    [401, "a wrong token", undefined, "Not authenticated", realm],
    [401, "a wrong token", "bearer wrong", "Not authenticated", `${realm}, error="invalid_token"`],
    [404, "Resource not found", undefined, undefined, undefined],
    [429, "Too Many Requests", undefined, "Too Many Requests", undefined],
    [500, undefined, undefined, "Error", undefined],
  ])("Gets an error %i in the form of the app", (status, reason, authorization, detail, challenge) => {
    const call = { status, ...(reason && { reason }), ...(authorization && { authorization }) };
    const failed = after(policy["on-error"], { "x-correlation-id": "other" }, { ...call, ...withId });
    expect(failed.body).toBe(detail === undefined ? "" : JSON.stringify({ detail }));
    const headers = { "x-correlation-id": "mine", "content-type": "application/json" };
    expect(failed.headers).toEqual({ ...headers, ...(challenge && { "www-authenticate": challenge }) });
    expect(after(policy["on-error"], {}, call).headers["x-correlation-id"]).toBe("id-of-the-request");
  });

  test("Is refused if its body is larger than the app's limit", () => {
    const [when, ...others] = elementOf(policy, "choose").children;
    const length = 'long.Parse(context.Request.Headers.GetValueOrDefault("Content-Length", "0"))';
    expect(when?.attributes["condition"]).toBe(`@(${length} > ${maxBodyBytes})`);
    const [response] = when?.children ?? [];
    expect([response?.name, others]).toEqual(["return-response", []]);
    const [status] = response?.children ?? [];
    expect(status?.attributes["code"]).toBe("413");
    const { headers, body } = after(response?.children ?? []);
    expect([headers, body]).toEqual([
      { "content-type": "application/json" },
      '{"detail": "Content Too Large"}',
    ]);
  });

  test("Counts towards its rate limit, which the response names", () => {
    const { "counter-key": key = "", calls, ...others } = limitOf(policy);
    expect(others).toEqual({
      "renewal-period": "60",
      "remaining-calls-header-name": "RateLimit-Remaining",
      "total-calls-header-name": "RateLimit-Limit",
    });
    const ofClient = 'claims.GetValueOrDefault("azp", claims.GetValueOrDefault("appid", "unknown"))';
    const ofToken = `@{ var claims = ((Jwt)context.Variables["token"]).Claims; return "client-" + ${ofClient}; }`;
    const ofAddress = '@(context.Operation.Id + "-" + context.Request.IpAddress)';
    expect(key.replaceAll(/\s+/g, " ")).toBe(isPrivate(operation) ? ofToken : ofAddress);
    expect(documentedOf(operation)?.responses["429"]?.description).toContain(` ${calls} calls per minute`);
    const changed = limitOf(ofExisting.get(operation) ?? policy)["calls"];
    expect(changed).toBe(isPrivate(operation) ? "11" : operation === "event-sink" ? "33" : "22");
  });
});

test.each([...policies].filter(([name]) => isPrivate(name)))(
  "%s limits calls per address before it checks the token's tenant, clients and audiences",
  (_, policy) => {
    const first = policy.inbound.find(({ name }) => name === "rate-limit-by-key")?.attributes;
    const ofAddress = '@("private-" + context.Request.IpAddress)';
    expect(first).toEqual({ calls: "6000", "renewal-period": "60", "counter-key": ofAddress });
    const token = elementOf(policy, "validate-azure-ad-token");
    expect(token.attributes).toEqual({
      "tenant-id": "00000000-0000-4000-8000-00000000a200",
      "header-name": "Authorization",
      "output-token-variable-name": "token",
    });
    // The policy's schema requires this order.
    expect(token.children.map(({ name }) => name)).toEqual(["client-application-ids", "audiences"]);
    const client = "00000000-0000-4000-8000-00000000c201";
    expect(textsOf(token, "client-application-ids")).toEqual([client]);
    expect(textsOf(token, "audiences")).toEqual([`api://${client}`, client]);
  },
);

test.each([...policies].filter(([name]) => isOfBrowsers(name)))(
  "%s can be called by the widget, without credentials of the browser",
  (operation, policy) => {
    const cors = elementOf(policy, "cors");
    expect(cors.attributes).toEqual({ "allow-credentials": "false", "terminate-unmatched-request": "false" });
    expect(textsOf(cors, "allowed-origins")).toEqual(["https://widget-test.example.com"]);
    expect(textsOf(cors, "allowed-methods")).toEqual(["GET"]);
    const methods = cors.children.find(({ name }) => name === "allowed-methods");
    expect(methods?.attributes).toEqual({ "preflight-result-max-age": "300" });
    expect(textsOf(cors, "allowed-headers")).toEqual(["x-auth-token", "x-correlation-id"]);
    const exposed = "x-correlation-id x-invocation-id Retry-After RateLimit-Limit RateLimit-Remaining";
    expect(textsOf(cors, "expose-headers").join(" ")).toBe(exposed);
    expect(textsOf(elementOf(ofExisting.get(operation) ?? policy, "cors"), "allowed-origins")).toHaveLength(
      2,
    );
  },
);

test("The API calls the app over HTTPS, needs no subscription key, and logs no service tag", () => {
  const api = onlyOf(testing, "ApiManagement/service/apis").properties;
  expect(api["serviceUrl"]).toMatch(/https:\/\/\{0\}.*\/func-vmr-test-\w+', '[\d-]+'\)\.defaultHostName/);
  const imported = { format: "openapi+json", protocols: ["https"], subscriptionRequired: false, path: "" };
  expect(api).toMatchObject(imported);
  expect(onlyOf(snapshotOf("existing"), "ApiManagement/service/apis").properties["path"]).toBe("rooms");
  const { frontend, backend } = onlyOf(testing, "ApiManagement/service/apis/diagnostics").properties;
  const masked = { request: { dataMasking: { queryParams: [{ value: "uuiData", mode: "Hide" }] } } };
  expect([frontend, backend]).toEqual([masked, masked]);
});

test("The API document is small enough to be loaded into a template", () => {
  // https://learn.microsoft.com/azure/azure-resource-manager/bicep/bicep-functions-files#loadtextcontent
  expect(statSync("openapi.json").size).toBeLessThan(131_072);
});
