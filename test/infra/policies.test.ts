/** API Management: what its policies do with a call of each operation, in their order. */
import { XMLValidator } from "fast-xml-parser";
import { expect, test } from "vitest";
import { loadHttpContracts } from "../../scripts/openapi/document.ts";
import { failures } from "../../src/lib/errors.ts";
import { maxBodyBytes } from "../../src/lib/http/body.ts";
import { exposedHeaders } from "../../src/lib/http/pipeline.ts";
import { operations } from "../support/api-document.ts";
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
const contracts = Object.entries(await loadHttpContracts());
const accesses = contracts.map(
  ([name, { access }]) => [nameOf(name.replaceAll(/[A-Z]/g, "_$&")), access] as const,
);

test("What deletes or shows all rooms needs the administrator's role", () => {
  const names = contracts.filter(([, contract]) => contract.needsAdministrator).map(([name]) => name);
  expect(names.toSorted()).toEqual(["bulkDeleteRooms", "listRooms"]);
});

test("Every operation and HEAD of the health check have the policy of their access", () => {
  const sameAs = { application: "get-room", agent: "get-public-room", "event-sink": "event-sink" };
  const others = { ...sameAs, anyone: "get-public-room" };
  const expected = accesses.map(([name, access]) => [name, policies.get(others[access])] as const);
  const head = ["health-check-head", policies.get("get-public-room")] as const;
  const [, ...ofOperations] = policies;
  expect(new Map(ofOperations)).toEqual(new Map([...expected, head]));
  const { method, urlTemplate } = onlyOf(testing, "ApiManagement/service/apis/operations").properties;
  expect(`${method} ${urlTemplate}`).toBe("HEAD /public/health");
});

const limit = (calls: number) => `<rate-limit-by-key calls="${calls}" renewal-period="60"`;
const announced = `remaining-calls-header-name="RateLimit-Remaining" total-calls-header-name="RateLimit-Limit"`;
const asJson =
  '<set-header name="Content-Type" exists-action="override"><value>application/json</value></set-header>';
const tooLarge = (bytes: number) =>
  `"Content-Length", "0")) &gt; ${bytes})"><return-response><set-status code="413" reason="Content Too Large" />` +
  `${asJson}<set-body>{"detail": "${failures["body-too-large"].detail}"}</set-body></return-response>`;
const removed = (header: string) => `<set-header name="${header}" exists-action="delete" />`;
const perAddress =
  'counter-key="@(context.Api.Id + "-" + context.Operation.Id + "-" + context.Request.IpAddress)"';
const all = (element: string, ...texts: string[]) =>
  texts.map((text) => `<${element}>${text}</${element}>`).join("");
const client = "00000000-0000-4000-8000-00000000c401";
const otherClient = "00000000-0000-4000-8000-00000000c402";

test.each([
  {
    policy: "all",
    guarantee:
      "pass no key on, wait for longer than bulk delete with 150 s, and return an ID and the app's errors",
    parts: [
      '<inbound><base /><set-header name="x-correlation-id" exists-action="skip"><value>@(context.RequestId',
      removed("x-functions-key"),
      '<forward-request timeout="200" />',
      '<outbound><base /><set-header name="x-correlation-id" exists-action="skip"><value>@((string)context.Variables["correlationId"])',
      ...["Server", "X-Powered-By", "X-AspNet-Version", "Request-Context"].map(removed),
      removed("x-ms-middleware-request-id"),
      '<on-error><base /><set-header name="x-correlation-id" exists-action="override">',
      '<when condition="@(context.Response.StatusCode == 401)"><set-header name="WWW-Authenticate"',
      '.StartsWith("Bearer ", StringComparison.OrdinalIgnoreCase) ? ", error=\\"invalid_token\\"" : "")',
      asJson,
      'StatusCode == 404 ? "" : new JObject(new JProperty("detail", context.Response.StatusCode == 401 ? "',
      `${failures.unauthenticated.detail}" : `,
    ],
  },
  {
    policy: "get-room",
    guarantee: "limits calls per address, checks the token, and limits calls per client and bodies",
    parts: [
      `<inbound><base />${limit(220)} counter-key="@(context.Api.Id + "-private-" + context.Request.IpAddress)" />`,
      '<validate-azure-ad-token tenant-id="00000000-0000-4000-8000-00000000a400" header-name="Authorization"',
      `<client-application-ids>${all("application-id", client, otherClient)}</`,
      `<audiences>${all("audience", `api://${client}`, client)}</`,
      `${limit(11)} ${announced}`,
      'return context.Api.Id + "-client-" + claims.GetValueOrDefault("azp", claims.GetValueOrDefault("appid", "unknown"));',
      tooLarge(maxBodyBytes),
    ],
  },
  {
    policy: "get-public-room",
    guarantee:
      "lets the widget send any header but no cookie and read what the app exposes, and limits calls per address and bodies",
    parts: [
      '<inbound><base /><cors allow-credentials="false" terminate-unmatched-request="false">',
      `<allowed-origins>${all("origin", "https://widget.example.com", "https://other-widget.example.com")}</`,
      `<allowed-methods preflight-result-max-age="300">${all("method", "GET")}</`,
      `<allowed-headers>${all("header", "*")}</`,
      `<expose-headers>${all("header", ...exposedHeaders.split(","))}</expose-headers></cors>`,
      `${limit(22)} ${announced} ${perAddress}`,
      tooLarge(65_536),
    ],
  },
  {
    policy: "event-sink",
    guarantee: "cannot be called by a page, and has a higher limit of its own",
    parts: [`<inbound><base />${limit(33)} ${announced} ${perAddress}`, tooLarge(maxBodyBytes)],
  },
])("With the values of its environment, the policy of $policy: $guarantee", ({ policy, parts }) => {
  const text = policiesOf(existing).get(policy) ?? "";
  const places = parts.map((part) => text.indexOf(part));
  expect([text, parts.filter((_, index) => places[index] === -1)]).toEqual([text, []]);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
});

test.each(accesses)("The documented rate limit of %s is the one whose headers callers see", (name) => {
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
