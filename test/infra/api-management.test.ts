/** API Management: the service, the API, and the effective policy of every operation. */
import { readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { publicDetailOf } from "../../src/lib/errors.ts";
import { placeOf } from "../../tools/scripts/openapi/place-of.ts";
import { operations } from "../support/api-document.ts";
import { eventSink, httpFunctions, updateRoom } from "../support/infra/code-facts.ts";
import {
  allOf,
  bodyOf,
  deployedWith,
  environments,
  onlyOf,
  propertiesOf,
} from "../support/infra/environments.ts";
import { effectivePolicies, parsePolicy, sections, describe as stepsOf } from "../support/infra/policies.ts";
import {
  operationName,
  operationsOfTheApi,
  policyTablePath,
  withPolicyTable,
} from "../support/infra/policy-table.ts";

const hosts = { test: "func-vmr-test", production: "func-vmr-prod" } as const;

describe.each(["test", "production"] as const)("API Management in %s", (name) => {
  const deployment = environments[name];
  const isPrivate = name === "production";

  it("Is the smallest service that reaches the app", () => {
    const subnet = `${isPrivate ? onlyOf(deployment, "network").id : ""}/subnets/api-management`;
    expect(bodyOf(onlyOf(deployment, "apiManagement"))).toEqual({
      sku: { name: isPrivate ? "StandardV2" : "BasicV2", capacity: 1 },
      identity: { type: "SystemAssigned" },
      properties: {
        publisherName: "Example platform team",
        publisherEmail: "platform-team@example.com",
        virtualNetworkType: isPrivate ? "External" : "None",
        ...(isPrivate && { virtualNetworkConfiguration: { subnetResourceId: subnet } }),
      },
    });
  });

  it("Sends the calls of openapi.json to the app over HTTPS, without subscription keys", () => {
    const { displayName, value, ...rest } = propertiesOf(onlyOf(deployment, "api"));
    expect(rest).toEqual({
      path: "",
      protocols: ["https"],
      format: "openapi+json",
      serviceUrl: `https://${onlyOf(deployment, "app").fields.name}.azurewebsites.example.com`,
      subscriptionRequired: false,
    });
    expect(onlyOf(deployment, "app").fields.name).toContain(hosts[name]);
    expect(JSON.parse(String(value))).toEqual(JSON.parse(readFileSync("openapi.json", "utf8")));
    expect(displayName).toContain("VMR gateway");
  });

  it("Logs every call with the caller's address and without service tags", () => {
    const withoutTags = {
      request: { dataMasking: { queryParams: [{ value: "uuiData", mode: "Hide" }] } },
    };
    expect(propertiesOf(onlyOf(deployment, "apiDiagnostics"))).toEqual({
      loggerId: `${onlyOf(deployment, "apiManagement").id}/loggers/azuremonitor`,
      logClientIp: true,
      sampling: { samplingType: "fixed", percentage: 100 },
      frontend: withoutTags,
      backend: withoutTags,
    });
  });

  it("Gets its policies one after the other, for parallel writes to one API conflict", () => {
    const policies = allOf(deployment, "operationPolicy");
    expect(new Set(policies.map(({ fields }) => fields.batchSize))).toEqual(new Set([1]));
    const first = policies.find(({ fields }) => fields.name.includes("create-room"));
    const last = policies.find(({ fields }) => fields.name.includes("event-sink"));
    expect(first && bodyOf(first)["dependsOn"]).toEqual([onlyOf(deployment, "apiPolicy").id]);
    expect(last && bodyOf(last)["dependsOn"]).toEqual([
      policies.filter(({ fields }) => fields.symbol === "privateOperationPolicy").map(({ id }) => id),
      // The policy of an operation that does not exist yet is refused.
      onlyOf(deployment, "operation").id,
    ]);
  });
});

const tenant = "00000000-0000-4000-8000-00000000a200";
const client = "00000000-0000-4000-8000-00000000c201";
const limit = (calls: number, key: string): string =>
  `rate limit calls=${calls}, renewal-period=60, remaining-calls-header-name=RateLimit-Remaining, total-calls-header-name=RateLimit-Limit, counter-key=${key}`;
const tooLarge = (bytes: number): string =>
  `if @(long.Parse(context.Request.Headers.GetValueOrDefault("Content-Length", "0")) > ${bytes}) then return status 413 Content Too Large; header Content-Type override: application/json; body {"detail": "Content Too Large"}`;

const inboundOfAll = (secret: string): string[] => [
  "header x-correlation-id skip: @(context.RequestId.ToString())",
  'variable correlationId: @(context.Request.Headers.GetValueOrDefault("x-correlation-id", ""))',
  `header x-api-management-secret ${secret}`,
  "header x-functions-key delete",
];
const inboundOfPrivate = [
  `token tenant-id=${tenant}, header-name=Authorization, output-token-variable-name=token, clients ${client}, audiences api://${client}, ${client}`,
  limit(
    600,
    '@{ var claims = ((Jwt)context.Variables["token"]).Claims; return "client-" + claims.GetValueOrDefault("azp", claims.GetValueOrDefault("appid", "unknown")); }',
  ),
  tooLarge(Number(updateRoom.body?.maxBytes)),
];
const inboundOfPublic = (calls: number, bytes: number): string[] => [
  "cors allow-credentials=false, terminate-unmatched-request=false, origins https://widget-test.example.com, methods GET, headers x-auth-token, x-correlation-id, exposes x-correlation-id, x-invocation-id, Retry-After, RateLimit-Limit, RateLimit-Remaining",
  limit(calls, '@(context.Operation.Id + "-" + context.Request.IpAddress)'),
  tooLarge(bytes),
];
const afterwards = {
  backend: ["forward timeout=200"],
  outbound: [
    'header x-correlation-id skip: @((string)context.Variables["correlationId"])',
    "header Server delete",
    "header X-Powered-By delete",
    "header X-AspNet-Version delete",
    "header Request-Context delete",
    "header x-ms-middleware-request-id delete",
  ],
  "on-error": [
    'header x-correlation-id override: @(context.Variables.GetValueOrDefault<string>("correlationId", context.RequestId.ToString()))',
    'if @(context.Response.StatusCode == 401) then header WWW-Authenticate override: @("Bearer realm=\\"vmr-gateway\\"" + (context.Request.Headers.GetValueOrDefault("Authorization", "").StartsWith("Bearer ", StringComparison.OrdinalIgnoreCase) ? ", error=\\"invalid_token\\"" : ""))',
    "header Content-Type override: application/json",
    `body @(context.Response.StatusCode == 404 ? "" : new JObject(new JProperty("detail", context.Response.StatusCode == 401 ? "${publicDetailOf("unauthenticated")}" : context.Response.StatusReason ?? "Error")).ToString())`,
  ],
};

const publicOperations: Readonly<Record<string, string[]>> = {
  "get-public-room": inboundOfPublic(120, Number(updateRoom.body?.maxBytes)),
  "event-sink": inboundOfPublic(6000, Number(eventSink.body?.maxBytes)),
  "health-check": inboundOfPublic(120, Number(updateRoom.body?.maxBytes)),
  "health-check-head": inboundOfPublic(120, Number(updateRoom.body?.maxBytes)),
};

/** What the API document says of 429 for an operation. */
function throttlingText(operation: string): string | undefined {
  const documented = operation.replace(/-head$/, "");
  return operations.find(({ operationId }) => operationName(operationId) === documented)?.responses["429"]
    ?.description;
}

const bicep = "infra/modules/gateway-api.bicep";
const lists = `${placeOf(bicep, "var privateOperations")} or ${placeOf(bicep, "var publicOperations")}`;

describe("The effective policy", () => {
  const policies = effectivePolicies(environments.test);

  it("Exists for every operation of the API document and for HEAD, and for no other one", () => {
    const paths = operationsOfTheApi(environments.test);
    expect([...policies.keys()].toSorted(), `add the operation below ${lists}`).toEqual(
      [...paths.keys()].toSorted(),
    );
    expect(paths.get("health-check-head")).toBe("HEAD /public/health");
  });

  it.each([...policies])("Of %s has these steps in this order", (operation, policy) => {
    const own = publicOperations[operation] ?? inboundOfPrivate;
    const found = Object.fromEntries(sections.map((section) => [section, stepsOf(policy[section])]));
    expect(found).toEqual({ inbound: [...inboundOfAll("delete"), ...own], ...afterwards });
  });

  it("Is the private one for exactly the functions that ask for an application's token", async () => {
    const functions = await httpFunctions();
    const named = (isPrivate: boolean): string[] =>
      functions
        .filter(({ access }) => (access === "application") === isPrivate)
        .flatMap(({ name, answersHead }) => {
          const operation = operationName(name.replaceAll(/[A-Z]/g, "_$&"));
          return answersHead === true ? [operation, `${operation}-head`] : [operation];
        });
    const testTable = placeOf("test/infra/api-management.test.ts", "const publicOperations");
    expect(Object.keys(publicOperations).toSorted(), `add the operation below ${testTable}`).toEqual(
      named(false).toSorted(),
    );
    const ofClients = [...policies.keys()].filter((key) => !(key in publicOperations));
    expect(ofClients.toSorted(), `add the operation below ${lists}`).toEqual(named(true).toSorted());
  });

  it("Reads only variables that an earlier step has set", () => {
    for (const [operation, policy] of policies) {
      const steps = [...policy.inbound, ...policy.outbound];
      const known = new Set<string>();
      for (const step of steps) {
        const [text = ""] = stepsOf([step]);
        const read = [...text.matchAll(/context\.Variables\["(\w+)"\]/g)].map(([, name]) => name ?? "");
        expect([operation, read.filter((name) => !known.has(name))]).toEqual([operation, []]);
        const set = step.attributes["output-token-variable-name"] ?? step.attributes["name"];
        if (set !== undefined) known.add(set);
      }
    }
  });

  it("Waits longer than the longest operation, and sends the tenant's tokens of several clients and audiences on", () => {
    const two = deployedWith("test", { authClientIds: ["one", "two"], authAudiences: ["three", "four"] });
    const [, , , , token] = stepsOf(effectivePolicies(two).get("create-room")?.inbound ?? []);
    expect(token).toContain("clients one, two, audiences three, four");
  });

  it.each([...policies])(
    "Of %s has the limit that openapi.json states with 429",
    (operation, { inbound }) => {
      const calls = inbound.find(({ name }) => name === "rate-limit-by-key")?.attributes["calls"];
      expect(throttlingText(operation)).toMatch(
        new RegExp(`^API Management admits ${calls} calls per minute and `),
      );
    },
  );

  it("Has the limits that the parameters say, each in its place", () => {
    const changed = deployedWith("test", {
      callsPerMinutePerClient: 11,
      callsPerMinutePerAddress: 22,
      eventsPerMinutePerAddress: 33,
    });
    const limits = [...effectivePolicies(changed)].map(([operation, { inbound }]) => [
      operation,
      Number(inbound.find(({ name }) => name === "rate-limit-by-key")?.attributes["calls"]),
    ]);
    const expected = [...policies.keys()].map((operation) => {
      if (operation === "event-sink") return [operation, 33];
      return [operation, operation in publicOperations ? 22 : 11];
    });
    expect(limits).toEqual(expected);
  });
});

describe("The secret of API Management", () => {
  const deployment = deployedWith("test", { requireApiManagementSecret: true });

  it("Is a named value that is read from the vault", () => {
    const vault = onlyOf(deployment, "vault").fields.name;
    expect(propertiesOf(onlyOf(deployment, "namedValue"))).toEqual({
      displayName: "vmr-gateway-test-secret",
      secret: true,
      keyVault: {
        secretIdentifier: `https://${vault}.vault.example.com/secrets/API-MANAGEMENT-SECRET`,
      },
    });
  });

  it("Replaces a caller's header in every operation", () => {
    for (const { inbound } of effectivePolicies(deployment).values())
      expect(stepsOf(inbound).slice(0, 4)).toEqual(inboundOfAll("override: {{vmr-gateway-test-secret}}"));
  });
});

it("A custom host name has the certificate of the vault, read as an identity of its own", () => {
  const deployment = deployedWith("test", {
    customHostName: "rooms.example.com",
    customHostCertificateUri: "https://kv-example.vault.example.com/secrets/rooms",
  });
  const body = bodyOf(onlyOf(deployment, "apiManagement"));
  const own = allOf(deployment, "identity").find(({ ownName }) => ownName.includes("api-management"));
  expect(body["identity"]).toEqual({
    type: "SystemAssigned, UserAssigned",
    userAssignedIdentities: { [String(own?.id)]: {} },
  });
  expect(Object(body["properties"]).hostnameConfigurations).toEqual([
    {
      type: "Proxy",
      hostName: "rooms.example.com",
      certificateSource: "KeyVault",
      keyVaultId: "https://kv-example.vault.example.com/secrets/rooms",
      identityClientId: "client of id-vmr-api-management-test",
      defaultSslBinding: true,
    },
  ]);
});

it("The API document is small enough to be loaded into a template", () => {
  // https://learn.microsoft.com/azure/azure-resource-manager/bicep/bicep-functions-files#loadtextcontent
  expect(statSync("openapi.json").size).toBeLessThan(131_072);
});

it("The table of policies in the documents is what would be deployed", () => {
  const document = readFileSync(policyTablePath, "utf8");
  expect(withPolicyTable(document, deployedWith("test", { requireApiManagementSecret: true }))).toBe(
    document,
  );
});

describe("A policy document", () => {
  const wrap = (inbound: string): string =>
    `<policies><inbound>${inbound}</inbound><backend /><outbound /><on-error /></policies>`;

  it.each([
    ["is not well-formed", "<policies><inbound></policies>", "well-formed"],
    ["has a section too few", "<policies><inbound /><backend /><outbound /></policies>", "sections"],
    ["has a marker that nothing fills in", wrap("<base>__x__</base>"), "__x__"],
  ])("Is refused if it %s", (_, text, message) => {
    expect(() => parsePolicy(text)).toThrow(message);
  });

  it("Is refused if it holds a policy that is not known here", () => {
    expect(() => stepsOf(parsePolicy(wrap("<ip-filter action='allow' />")).inbound)).toThrow("ip-filter");
  });
});
