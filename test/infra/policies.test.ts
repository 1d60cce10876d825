/** API Management: what its policies do with a call of each operation, in their order. */
import { statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadHttpContracts } from "../../scripts/openapi/document.ts";
import { maxBodyBytes } from "../../src/lib/http/body.ts";
import { operations } from "../support/api-document.ts";
import { effectivePolicies } from "../support/infra/policies.ts";
import { onlyOf, snapshotOf } from "../support/infra/snapshots.ts";

const testing = snapshotOf("test");
const existing = snapshotOf("existing");
const policies = effectivePolicies(testing);

/** The rule by which API Management names an imported operation. */
const nameOf = (operationId: string): string => operationId.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
const contracts = new Map(
  Object.entries(await loadHttpContracts()).map(([name, contract]) => [
    nameOf(name.replaceAll(/[A-Z]/g, "_$&")),
    contract,
  ]),
);
const withoutHead = (operation: string) => operation.replace(/-head$/, "");

test("Exactly the documented operations and HEAD of the health check have a policy", () => {
  const expected = [...operations.map(({ operationId }) => nameOf(operationId)), "health-check-head"];
  const lists =
    "privateOperations or publicOperations in infra/api-management.bicep, and run `npm run snapshots`";
  expect([...policies.keys()].toSorted(), `add the operation to ${lists}`).toEqual(expected.toSorted());
  const { method, urlTemplate } = onlyOf(testing, "ApiManagement/service/apis/operations").properties;
  expect(`${method} ${urlTemplate}`).toBe("HEAD /public/health");
});

/** What differs between two environments. */
const id = (end: string) => `00000000-0000-4000-8000-00000000${end}`;
const ofTest = {
  tenant: id("a200"),
  clients: [id("c201")],
  audiences: [`api://${id("c201")}`, id("c201")],
  origins: ["https://widget-test.example.com"],
  calls: { client: 600, address: 600, event: 6000 },
};
type Values = typeof ofTest;
const ofExisting: Values = {
  tenant: id("a400"),
  clients: [id("c401")],
  audiences: [`api://${id("c401")}`],
  origins: ["https://widget.example.com", "https://other-widget.example.com"],
  calls: { client: 11, address: 22, event: 33 },
};

const forEach = (list: readonly string[], element: string) => list.map((entry) => `    ${element} ${entry}`);
const limit = (calls: number, key: string, names = "") =>
  `rate-limit-by-key calls=${calls} renewal-period=60${names} counter-key=${key}`;
const shown = " remaining-calls-header-name=RateLimit-Remaining total-calls-header-name=RateLimit-Limit";
const ofAddress = '@(context.Operation.Id + "-" + context.Request.IpAddress)';
const ofToken =
  '@{ var claims = ((Jwt)context.Variables["token"]).Claims; return "client-" + claims.GetValueOrDefault("azp", claims.GetValueOrDefault("appid", "unknown")); }';

/** A token is checked after the limit per address, so calls without one are limited, too. */
const steps = {
  application: ({ tenant, clients, audiences, calls }: Values) => [
    limit(10 * calls.address, '@("private-" + context.Request.IpAddress)'),
    `validate-azure-ad-token tenant-id=${tenant} header-name=Authorization output-token-variable-name=token`,
    // The policy's schema requires this order.
    "  client-application-ids",
    ...forEach(clients, "application-id"),
    "  audiences",
    ...forEach(audiences, "audience"),
    limit(calls.client, ofToken, shown),
  ],
  browser: ({ origins, calls }: Values) => [
    "cors allow-credentials=false terminate-unmatched-request=false",
    "  allowed-origins",
    ...forEach(origins, "origin"),
    "  allowed-methods preflight-result-max-age=300",
    "    method GET",
    "  allowed-headers",
    ...forEach(["x-auth-token", "x-correlation-id"], "header"),
    "  expose-headers",
    ...forEach(["x-correlation-id", "x-invocation-id", "Retry-After"], "header"),
    ...forEach(["RateLimit-Limit", "RateLimit-Remaining"], "header"),
    limit(calls.address, ofAddress, shown),
  ],
  "event-sink": ({ calls }: Values) => [limit(calls.event, ofAddress, shown)],
} as const;

const softwareNames = "Server X-Powered-By X-AspNet-Version Request-Context x-ms-middleware-request-id";
const challenge =
  '@("Bearer realm=\\"vmr-gateway\\"" + (context.Request.Headers.GetValueOrDefault("Authorization", "").StartsWith("Bearer ", StringComparison.OrdinalIgnoreCase) ? ", error=\\"invalid_token\\"" : ""))';
const detail =
  '@(context.Response.StatusCode == 404 ? "" : new JObject(new JProperty("detail", context.Response.StatusCode == 401 ? "Not authenticated" : context.Response.StatusReason ?? "Error")).ToString())';

describe.each([
  ["test", ofTest],
  ["existing", ofExisting],
] as const)("In %s", (scenario, values) => {
  test.each([...effectivePolicies(snapshotOf(scenario))])(
    "the policy of %s has these steps",
    (operation, policy) => {
      const { access = "anyone" } = contracts.get(withoutHead(operation)) ?? {};
      const kind = access === "application" || access === "event-sink" ? access : "browser";
      expect(policy.inbound).toEqual([
        "base",
        // Keeps the caller's ID, or uses the ID of the request.
        "set-header name=x-correlation-id exists-action=skip",
        "  value @(context.RequestId.ToString())",
        'set-variable name=correlationId value=@(context.Request.Headers.GetValueOrDefault("x-correlation-id", ""))',
        "set-header name=x-api-management-secret exists-action=delete",
        "set-header name=x-functions-key exists-action=delete",
        ...steps[kind](values),
        "choose",
        `  when condition=@(long.Parse(context.Request.Headers.GetValueOrDefault("Content-Length", "0")) > ${maxBodyBytes})`,
        "    return-response",
        "      set-status code=413 reason=Content Too Large",
        "      set-header name=Content-Type exists-action=override",
        "        value application/json",
        '      set-body {"detail": "Content Too Large"}',
      ]);
      // Longer than the longest operation, bulk delete with 150 s.
      expect(policy.backend).toEqual(["forward-request timeout=200"]);
      expect(policy.outbound).toEqual([
        "base",
        "set-header name=x-correlation-id exists-action=skip",
        '  value @((string)context.Variables["correlationId"])',
        ...softwareNames.split(" ").map((name) => `set-header name=${name} exists-action=delete`),
      ]);
      // Errors have the form of the app's.
      expect(policy["on-error"]).toEqual([
        "base",
        "set-header name=x-correlation-id exists-action=override",
        '  value @(context.Variables.GetValueOrDefault<string>("correlationId", context.RequestId.ToString()))',
        "choose",
        "  when condition=@(context.Response.StatusCode == 401)",
        "    set-header name=WWW-Authenticate exists-action=override",
        `      value ${challenge}`,
        "set-header name=Content-Type exists-action=override",
        "  value application/json",
        `set-body ${detail}`,
      ]);
    },
  );
});

test.each([...policies])(
  "The documented rate limit of %s is the one whose headers callers see",
  (operation, policy) => {
    const [, calls] = /calls=(\d+).*RateLimit-Limit/.exec(policy.inbound.join("\n")) ?? [];
    const documented = operations.find(({ operationId }) => nameOf(operationId) === withoutHead(operation));
    expect(documented?.responses["429"]?.description).toContain(` ${calls} calls per minute`);
  },
);

test("The API calls the app over HTTPS, needs no subscription key, and logs no service tag", () => {
  const api = onlyOf(testing, "ApiManagement/service/apis").properties;
  expect(api["serviceUrl"]).toMatch(/https:\/\/\{0\}.*\/func-vmr-test-\w+', '[\d-]+'\)\.defaultHostName/);
  const imported = { format: "openapi+json", protocols: ["https"], subscriptionRequired: false, path: "" };
  expect(api).toMatchObject(imported);
  expect(onlyOf(existing, "ApiManagement/service/apis").properties["path"]).toBe("rooms");
  const { frontend, backend } = onlyOf(testing, "ApiManagement/service/apis/diagnostics").properties;
  const masked = { request: { dataMasking: { queryParams: [{ value: "uuiData", mode: "Hide" }] } } };
  expect([frontend, backend]).toEqual([masked, masked]);
});

test("The API document is small enough to be loaded into a template", () => {
  // https://learn.microsoft.com/azure/azure-resource-manager/bicep/bicep-functions-files#loadtextcontent
  expect(statSync("openapi.json").size).toBeLessThan(131_072);
});
