/** API Management: every operation has its policy, with its token check, rate limit, counter and size. */
import { statSync } from "node:fs";
import { XMLValidator } from "fast-xml-parser";
import { describe, expect, test } from "vitest";
import { loadHttpContracts } from "../../tools/scripts/openapi/document.ts";
import { operations } from "../support/api-document.ts";
import { allOf, deployed, onlyOf, propertiesOf, variablesOf } from "../support/infra/environments.ts";

const deployment = deployed("test");
const policiesOf = (one: typeof deployment) =>
  new Map(
    allOf(one, "ApiManagement/service/apis/operations/policies").map((resource) => [
      resource.name.split("/").at(-2) ?? "",
      String(propertiesOf(resource)["value"]),
    ]),
  );
const policies = policiesOf(deployment);
const policyOfAll = String(propertiesOf(onlyOf(deployment, "ApiManagement/service/apis/policies"))["value"]);

/** The rule by which API Management names an imported operation. */
const operationName = (operationId: string): string =>
  operationId.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

const contracts = await loadHttpContracts();
const operationsOf = (isPrivate: boolean): string[] =>
  Object.entries(contracts)
    .filter(([, { access }]) => (access === "application") === isPrivate)
    .flatMap(([name, { answersHead }]) => {
      const operation = operationName(name.replaceAll(/[A-Z]/g, "_$&"));
      return answersHead === true ? [operation, `${operation}-head`] : [operation];
    })
    .toSorted();
const privateOperations = operationsOf(true);
const publicOperations = operationsOf(false);

/** The limit of an operation's policy, and what each of its counters counts. */
function rateLimitOf(policy = ""): { calls: number; counter: string } {
  const [, calls, counter = ""] =
    /<rate-limit-by-key calls="(\d+)" renewal-period="60"[^>]* counter-key="([^"]+)" \/>/.exec(policy) ?? [];
  return { calls: Number(calls), counter: counter.replaceAll("&quot;", '"').replaceAll(/\s+/g, " ").trim() };
}

test("Exactly the documented operations and HEAD of the health check have a policy", () => {
  const documented = operations.map(({ operationId }) => operationName(operationId));
  const lists = "privateOperations or publicOperations in infra/api-management.bicep";
  expect([...policies.keys()].toSorted(), `add the operation to ${lists}`).toEqual(
    [...documented, "health-check-head"].toSorted(),
  );
  expect([...privateOperations, ...publicOperations].toSorted()).toEqual([...policies.keys()].toSorted());
  expect(propertiesOf(onlyOf(deployment, "ApiManagement/service/apis/operations"))).toMatchObject({
    method: "HEAD",
    urlTemplate: "/public/health",
  });
});

test.each([...policies, ["all operations", policyOfAll]])("The policy of %s is complete XML", (_, policy) => {
  expect(XMLValidator.validate(policy)).toBe(true);
  expect(policy).not.toMatch(/__\w+__/);
  const sections = [...policy.matchAll(/^ {2}<(inbound|backend|outbound|on-error)>/gm)].map(
    ([, name]) => name,
  );
  expect(sections).toEqual(["inbound", "backend", "outbound", "on-error"]);
});

test("Every operation starts with the shared policy, which forwards the call", () => {
  for (const policy of policies.values())
    expect(policy).toMatch(/<inbound>\s*<base \/>[\s\S]*<backend>\s*<base \/>/);
  // Longer than the longest operation, bulk delete with 150 s.
  expect(policyOfAll).toContain('<forward-request timeout="200" />');
});

describe("Private operations", () => {
  const { AUTH_TENANT_ID, AUTH_CLIENT_IDS } = JSON.parse(variablesOf("test")["GATEWAY_SETTINGS"] ?? "");

  test.each(privateOperations)("%s checks the token first: tenant, clients, audiences", (operation) => {
    const policy = policies.get(operation) ?? "";
    expect(policy.replaceAll(/\s+/g, " ")).toContain(
      `<validate-azure-ad-token tenant-id="${AUTH_TENANT_ID}" header-name="Authorization" output-token-variable-name="token"> ` +
        `<client-application-ids><application-id>${AUTH_CLIENT_IDS}</application-id></client-application-ids> ` +
        `<audiences><audience>api://${AUTH_CLIENT_IDS}</audience><audience>${AUTH_CLIENT_IDS}</audience></audiences> </validate-azure-ad-token>`,
    );
    expect(policy.indexOf("validate-azure-ad-token")).toBeLessThan(policy.indexOf("rate-limit-by-key"));
  });

  test.each(privateOperations)("%s has a counter for each client application", (operation) => {
    expect(rateLimitOf(policies.get(operation)).counter).toBe(
      '@{ var claims = ((Jwt)context.Variables["token"]).Claims; return "client-" + claims.GetValueOrDefault("azp", claims.GetValueOrDefault("appid", "unknown")); }',
    );
  });
});

describe("Public operations", () => {
  test.each(publicOperations)(
    "%s has a counter for each operation and address, and the widget's origin",
    (operation) => {
      const policy = policies.get(operation) ?? "";
      expect(rateLimitOf(policy).counter).toBe('@(context.Operation.Id + "-" + context.Request.IpAddress)');
      expect(policy).toContain(
        "<allowed-origins><origin>https://widget-test.example.com</origin></allowed-origins>",
      );
      expect(policy).not.toContain("validate-azure-ad-token");
    },
  );
});

test("Each rate limit is its parameter's value", () => {
  const changed = policiesOf(
    deployed("test", {
      CALLS_PER_MINUTE_PER_CLIENT: "11",
      CALLS_PER_MINUTE_PER_ADDRESS: "22",
      EVENTS_PER_MINUTE_PER_ADDRESS: "33",
    }),
  );
  const limits = (names: readonly string[]) =>
    names.map((name) => [name, rateLimitOf(changed.get(name)).calls]);
  expect(limits(privateOperations)).toEqual(privateOperations.map((name) => [name, 11]));
  expect(limits(publicOperations)).toEqual(
    publicOperations.map((name) => [name, name === "event-sink" ? 33 : 22]),
  );
});

test.each([...policies])("The limit of %s is stated with 429 in openapi.json", (operation, policy) => {
  const documented = operation.replace(/-head$/, "");
  const found = operations.find(({ operationId }) => operationName(operationId) === documented);
  expect(found?.responses["429"]?.description).toContain(` ${rateLimitOf(policy).calls} calls per minute`);
});

test.each([...policies])("The maximum body size of %s is the app's", (operation, policy) => {
  const contract = operation === "event-sink" ? contracts["eventSink"] : contracts["updateRoom"];
  expect(policy).toContain(`&gt; ${contract?.body?.maxBytes})`);
});

describe("The secret of API Management", () => {
  test("Is read from the vault with the service's identity, and replaces a caller's header", () => {
    const { keyVault, displayName } = propertiesOf(onlyOf(deployment, "ApiManagement/service/namedValues"));
    expect(keyVault.secretIdentifier).toMatch(
      /^kv-vmr-\w+\.properties\.vaultUrisecrets\/API-MANAGEMENT-SECRET$/,
    );
    expect(keyVault.identityClientId).toBe("id-vmr-test-api-management.properties.clientId");
    expect(policyOfAll).toContain(
      `<set-header name="x-api-management-secret" exists-action="override"><value>{{${displayName}}}</value></set-header>`,
    );
  });

  test.each(["test", "production"])("Of %s is removed from a caller's headers if there is none", (name) => {
    const without = deployed(name, { REQUIRE_API_MANAGEMENT_SECRET: "false" });
    const policy = propertiesOf(onlyOf(without, "ApiManagement/service/apis/policies"))["value"];
    expect(policy).toContain('<set-header name="x-api-management-secret" exists-action="delete" />');
  });
});

test("The API calls the app over HTTPS, needs no subscription key, and logs no service tag", () => {
  const api = propertiesOf(onlyOf(deployment, "ApiManagement/service/apis"));
  expect(api["serviceUrl"]).toBe(
    `https://${onlyOf(deployment, "Web/sites").name}.properties.defaultHostName`,
  );
  expect(api).toMatchObject({ protocols: ["https"], subscriptionRequired: false });
  const masked = { request: { dataMasking: { queryParams: [{ value: "uuiData", mode: "Hide" }] } } };
  expect(propertiesOf(onlyOf(deployment, "ApiManagement/service/apis/diagnostics"))).toMatchObject({
    frontend: masked,
    backend: masked,
  });
});

test("The API document is small enough to be loaded into a template", () => {
  // https://learn.microsoft.com/azure/azure-resource-manager/bicep/bicep-functions-files#loadtextcontent
  expect(statSync("openapi.json").size).toBeLessThan(131_072);
});
