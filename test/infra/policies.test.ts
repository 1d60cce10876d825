/** API Management: what its policies do with a call of each operation, in their order. */
import { XMLValidator } from "fast-xml-parser";
import { expect, test } from "vitest";
import { loadHttpContracts } from "../../scripts/openapi/document.ts";
import { maxBodyBytes } from "../../src/lib/http/body.ts";
import { operations } from "../support/api-document.ts";
import { expectInOrder, rulesIn } from "../support/infra/rules.ts";
import { allOf, onlyOf, type Resource, type Snapshot, snapshotOf } from "../support/infra/snapshots.ts";

const testing = snapshotOf("test");
const existing = snapshotOf("existing");

/** Returns the text of a policy without comments, entities and spaces between elements. */
function textOf({ properties }: Resource): string {
  expect(XMLValidator.validate(properties["value"])).toBe(true);
  const plain = String(properties["value"]).replaceAll(/<!--[\s\S]*?-->/g, "");
  return plain.replaceAll(/\s+/g, " ").replaceAll("> <", "><").replaceAll("&quot;", '"').trim();
}

/** Returns the policy of all operations, and by their names those of each operation. */
function policiesOf(snapshot: Snapshot): Map<string, string> {
  const own = allOf(snapshot, "ApiManagement/service/apis/operations/policies");
  const named = own.map((policy) => [policy.id.split("/").at(-3) ?? "", textOf(policy)] as const);
  return new Map([["all", textOf(onlyOf(snapshot, "ApiManagement/service/apis/policies"))], ...named]);
}
const policies = policiesOf(testing);

/** The rule by which API Management names an imported operation. */
const nameOf = (operationId: string): string => operationId.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
const contracts = Object.entries(await loadHttpContracts()).map(
  ([name, { access }]) => [nameOf(name.replaceAll(/[A-Z]/g, "_$&")), access] as const,
);

test("What deletes or shows all rooms needs the administrator's role", async () => {
  const all = Object.entries(await loadHttpContracts());
  const names = all.filter(([, contract]) => contract.needsAdministrator).map(([name]) => name);
  expect(names.toSorted()).toEqual(["bulkDeleteRooms", "listRooms"]);
});

test("Every operation and HEAD of the health check have the policy of their access", () => {
  const sameAs = { application: "get-room", agent: "get-public-room", "event-sink": "event-sink" };
  const others = { ...sameAs, anyone: "get-public-room" };
  const expected = contracts.map(([name, access]) => [name, policies.get(others[access])] as const);
  const head = ["health-check-head", policies.get("get-public-room")] as const;
  const [, ...ofOperations] = policies;
  expect(new Map(ofOperations)).toEqual(new Map([...expected, head]));
  const { method, urlTemplate } = onlyOf(testing, "ApiManagement/service/apis/operations").properties;
  expect(`${method} ${urlTemplate}`).toBe("HEAD /public/health");
});

const limit = (calls: number) => `<rate-limit-by-key calls="${calls}" renewal-period="60"`;
const named = `remaining-calls-header-name="RateLimit-Remaining" total-calls-header-name="RateLimit-Limit"`;
const client = "00000000-0000-4000-8000-00000000c201";
const tooLarge = `<when condition="@(long.Parse(context.Request.Headers.GetValueOrDefault("Content-Length", "0")) &gt; ${maxBodyBytes})"><return-response><set-status code="413"`;

/** A token is checked after the limit per address, so calls without one are limited, too. */
const rules = `
all: keep the caller's correlation ID or make one, and pass no key on to the host
  <inbound><base /><set-header name="x-correlation-id" exists-action="skip"><value>@(context.RequestId.ToString())
  <set-variable name="correlationId" value="@(context.Request.Headers.GetValueOrDefault("x-correlation-id", ""))"
  <set-header name="x-api-management-secret" exists-action="delete" />
  <set-header name="x-functions-key" exists-action="delete" /></inbound>
all: wait for longer than the longest operation, bulk delete with 150 s
  <backend><forward-request timeout="200" /></backend>
all: return the correlation ID of the app or their own, and no name of software
  <outbound><base /><set-header name="x-correlation-id" exists-action="skip"><value>@((string)context.Variables["correlationId"])
  <set-header name="Server" exists-action="delete" />
  <set-header name="X-Powered-By" exists-action="delete" />
  <set-header name="X-AspNet-Version" exists-action="delete" />
  <set-header name="Request-Context" exists-action="delete" />
  <set-header name="x-ms-middleware-request-id" exists-action="delete" /></outbound>
all: return errors in the form of the app
  <on-error><base /><set-header name="x-correlation-id" exists-action="override"><value>@(context.Variables.GetValueOrDefault
  <choose><when condition="@(context.Response.StatusCode == 401)"><set-header name="WWW-Authenticate" exists-action="override">
  <value>@("Bearer realm=\\"vmr-gateway\\"" + (context.Request.Headers.GetValueOrDefault("Authorization", "").StartsWith("Bearer "
  ? ", error=\\"invalid_token\\"" : ""))</value></set-header></when></choose>
  <set-header name="Content-Type" exists-action="override"><value>application/json</value></set-header>
  <set-body>@(context.Response.StatusCode == 404 ? "" : new JObject(new JProperty("detail", context.Response.StatusCode == 401 ? "Not authenticated" :
get-room: needs a token, and is limited per address before and per client after its check
  <inbound><base />${limit(6000)} counter-key="@("private-" + context.Request.IpAddress)" />
  <validate-azure-ad-token tenant-id="00000000-0000-4000-8000-00000000a200" header-name="Authorization" output-token-variable-name="token">
  <client-application-ids><application-id>${client}</application-id></client-application-ids>
  <audiences><audience>api://${client}</audience><audience>${client}</audience></audiences></validate-azure-ad-token>
  ${limit(600)} ${named} counter-key="@{ var claims = ((Jwt)context.Variables["token"]).Claims; return "client-" + claims.GetValueOrDefault("azp", claims.GetValueOrDefault("appid", "unknown"));
  ${tooLarge}
  <backend><base /></backend><outbound><base /></outbound><on-error><base /></on-error>
get-public-room: can be called by the widget, without cookies, and is limited per address
  <inbound><base /><cors allow-credentials="false" terminate-unmatched-request="false">
  <allowed-origins><origin>https://widget-test.example.com</origin></allowed-origins>
  <allowed-methods preflight-result-max-age="300"><method>GET</method></allowed-methods>
  <allowed-headers><header>x-auth-token</header><header>x-correlation-id</header></allowed-headers>
  <expose-headers><header>x-correlation-id</header><header>x-invocation-id</header><header>Retry-After</header><header>RateLimit-Limit</header><header>RateLimit-Remaining</header></expose-headers></cors>
  ${limit(600)} ${named} counter-key="@(context.Operation.Id + "-" + context.Request.IpAddress)" />
  ${tooLarge}
  <backend><base /></backend><outbound><base /></outbound><on-error><base /></on-error>
event-sink: cannot be called by a page, and has a higher limit of its own
  <inbound><base />${limit(6000)} ${named} counter-key="@(context.Operation.Id + "-" + context.Request.IpAddress)" />
  ${tooLarge}
  <backend><base /></backend><outbound><base /></outbound><on-error><base /></on-error>`;

test.each(rulesIn(rules))("%s", (title, parts) => {
  expectInOrder(policies.get(title.split(":")[0] ?? "") ?? "", parts);
});

test("The policies have the values of their environment", () => {
  const id = (end: string) => `00000000-0000-4000-8000-00000000${end}`;
  const clients = `<application-id>${id("c401")}</application-id></client-application-ids><audiences><audience>api://${id("c401")}</audience></audiences>`;
  const origins = ["widget", "other-widget"].map((name) => `<origin>https://${name}.example.com</origin>`);
  const found = policiesOf(existing);
  expectInOrder(found.get("get-room") ?? "", [limit(220), `tenant-id="${id("a400")}"`, clients, limit(11)]);
  expectInOrder(found.get("get-public-room") ?? "", [`<allowed-origins>${origins.join("")}</`, limit(22)]);
  expectInOrder(found.get("event-sink") ?? "", [limit(33)]);
});

test.each(contracts)("The documented rate limit of %s is the one whose headers callers see", (name) => {
  const [, calls] = / calls="(\d+)"[^>]* total-calls-header-name/.exec(policies.get(name) ?? "") ?? [];
  const documented = operations.find(({ operationId }) => nameOf(operationId) === name);
  expect(documented?.responses["429"]?.description).toContain(` ${calls} calls per minute`);
});

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
