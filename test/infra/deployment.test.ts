/** What each environment would deploy: resources, role assignments, network access and app settings. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { secretsFor } from "../../scripts/check-values/faults.ts";
import { healthCheck } from "../../src/functions/health-check.ts";
import { createRecordContainer } from "../../src/lib/azure/blob-records.ts";
import { maxBodyBytes } from "../../src/lib/http/body.ts";
import { queueNames } from "../../src/lib/queue.ts";
import { loadSettings } from "../../src/lib/settings/settings.ts";
import {
  allOf,
  lastOf,
  onlyOf,
  type Resource,
  type Snapshot,
  snapshotOf,
  snapshots,
  withoutHash,
} from "../support/infra/snapshots.ts";

const testing = snapshotOf("test");
const production = snapshotOf("production");
const existing = snapshotOf("existing");
const everySnapshot = [...snapshots];
const propertiesOf = (snapshot: Snapshot, type: string) => onlyOf(snapshot, type).properties;
const settingsOf = (snapshot: Snapshot): Record<string, string> => propertiesOf(snapshot, "Web/sites/config");
const namesOf = (snapshot: Snapshot, type: string) => allOf(snapshot, type).map(({ id }) => lastOf(id));

test("The app has the Node that package.json names", () => {
  const { runtime } = propertiesOf(testing, "Web/sites")["functionAppConfig"];
  expect(runtime).toEqual({ name: "node", version: manifest.engines.node.replace(">=", "") });
});

test("The app scales, is updated and is spread over zones as its environment says", () => {
  const scaling = [existing, testing].map((snapshot) => {
    const { scaleAndConcurrency, siteUpdateStrategy } = propertiesOf(snapshot, "Web/sites")[
      "functionAppConfig"
    ];
    const { alwaysReady, maximumInstanceCount } = scaleAndConcurrency;
    return [siteUpdateStrategy.type, maximumInstanceCount, alwaysReady];
  });
  expect(scaling).toEqual([
    ["Recreate", 40, [{ name: "http", instanceCount: 3 }]],
    ["RollingUpdate", 4, []],
  ]);
  const zones = [production, testing].map((one) => propertiesOf(one, "Web/serverfarms")["zoneRedundant"]);
  expect(zones).toEqual([true, false]);
});

test.each(everySnapshot)(
  "In %s, all bodies together take less than half of an instance's memory",
  (_, snapshot) => {
    const { scaleAndConcurrency } = propertiesOf(snapshot, "Web/sites")["functionAppConfig"];
    const { instanceMemoryMB, triggers } = scaleAndConcurrency;
    const bytes = Number(settingsOf(snapshot)["FUNCTIONS_REQUEST_BODY_SIZE_LIMIT"]);
    expect(bytes * triggers.http.perInstanceConcurrency).toBeLessThan((instanceMemoryMB * 1024 * 1024) / 2);
    expect(bytes > maxBodyBytes).toBe(instanceMemoryMB > 512);
  },
);

describe("An environment", () => {
  test.each(everySnapshot)(
    "has its location on each resource, and the tag by which the scripts find it, in %s",
    (name, { resources }) => {
      const located = resources.filter(({ location, type }) => location && !type.endsWith("/resourceGroups"));
      expect(located.length).toBeGreaterThan(20);
      for (const { location, tags } of located) {
        expect(["westeurope", "global"]).toContain(location);
        expect(tags).toMatchObject({ "vmr-gateway": name });
      }
    },
  );

  test("has the queues and the container that the code names", () => {
    const queues = namesOf(testing, "Storage/storageAccounts/queueServices/queues");
    expect(queues.toSorted()).toEqual(Object.values(queueNames).toSorted());
    const containers = namesOf(testing, "Storage/storageAccounts/blobServices/containers");
    expect(new Set(containers)).toEqual(new Set(["app-package", createRecordContainer]));
    const [rule] = propertiesOf(testing, "Storage/storageAccounts/managementPolicies")["policy"].rules;
    expect(rule.definition).toMatchObject({
      filters: { prefixMatch: [`${createRecordContainer}/`] },
      actions: { baseBlob: { delete: { daysAfterModificationGreaterThan: 1 } } },
    });
  });

  test("has no secret in its outputs", () => {
    const values = everySnapshot.flatMap(([, { outputs }]) => Object.values(outputs)).join("\n");
    expect(values).not.toMatch(/list\w+\(|secret|password|connectionString/i);
  });
});

describe("The logs", () => {
  test("have the cap of test, and none in production, which archives the app's tables", () => {
    const caps = [testing, production].map((snapshot) => {
      const { workspaceCapping } = propertiesOf(snapshot, "OperationalInsights/workspaces");
      return workspaceCapping.dailyQuotaGb;
    });
    // 0 would be no logs at all.
    expect(caps).toEqual([5, -1]);
    const tables = allOf(production, "OperationalInsights/workspaces/tables").map(({ id, properties }) => [
      lastOf(id),
      properties["retentionInDays"],
      properties["totalRetentionInDays"],
    ]);
    const names = ["AppExceptions", "AppRequests", "AppTraces", "VmrGatewayMetrics_CL"];
    expect(tables).toEqual(names.map((name) => [name, 60, 365]));
  });

  test("say who used a secret, replaced the package or deleted a message", () => {
    const logged = allOf(existing, "Insights/diagnosticSettings").map(({ id, properties }) => {
      const logs: Record<string, unknown>[] = properties["logs"];
      const names = logs.map(
        ({ enabled, category, categoryGroup }) => enabled && (category ?? categoryGroup),
      );
      return `${/kv-vmr|stvmr(?:pkg)?/.exec(id)?.[0]}: ${names.join(", ")}`;
    });
    const ofPackage = "stvmrpkg: StorageWrite, StorageDelete";
    expect(logged.toSorted()).toEqual(["kv-vmr: audit", "stvmr: StorageDelete", ofPackage]);
  });
});

test.each([
  {
    people: "an address, a phone and a page",
    snapshot: production,
    urgent: [["on-call-production@example.com"], ["49 1701234567"], ["https://call.example.com"]],
  },
  {
    people: "two addresses",
    snapshot: existing,
    urgent: [["on-call@example.com", "second-on-call@example.com"], [], []],
  },
])("Urgent alerts reach $people, and routine ones the team", ({ snapshot, urgent }) => {
  const receivers = allOf(snapshot, "Insights/actionGroups").map(({ properties }) => {
    const { emailReceivers, smsReceivers = [], webhookReceivers = [] } = properties;
    return [
      emailReceivers.map((receiver: { emailAddress: string }) => receiver.emailAddress),
      smsReceivers.map(
        ({ countryCode, phoneNumber }: Record<string, string>) => `${countryCode} ${phoneNumber}`,
      ),
      webhookReceivers.map((receiver: { serviceUri: string }) => receiver.serviceUri),
    ];
  });
  expect(receivers).toEqual([[["platform-team@example.com"], [], []], urgent]);
});

test("The availability test expects the status with which the health check succeeds", () => {
  const { ValidationRules } = propertiesOf(production, "Insights/webtests");
  expect(Object.keys(healthCheck.responses)).toEqual([String(ValidationRules.ExpectedHttpStatusCode)]);
});

describe("In the role assignments,", () => {
  // https://learn.microsoft.com/azure/role-based-access-control/built-in-roles
  const roles: Readonly<Record<string, string>> = {
    "b7e6dc6d-f1e8-4753-8033-0f276bb0955b": "Storage Blob Data Owner",
    "ba92f5b4-2d11-453d-a403-e96b0029c9fe": "Storage Blob Data Contributor",
    "974c5e8b-45b9-4653-ba55-5f855dd0fb88": "Storage Queue Data Contributor",
    "0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3": "Storage Table Data Contributor",
    "4633458b-17de-408a-b874-0445c86b69e6": "Key Vault Secrets User",
    "b86a8fe4-44ce-4948-aee5-eccb2c155cd7": "Key Vault Secrets Officer",
    "3913510d-42f4-4e42-8a64-420c390055eb": "Monitoring Metrics Publisher",
  };
  const principal = /\/userAssignedIdentities\/([\w-]+)'.*\)\.principalId\]$/;
  const scope = /^(?:\[extensionResourceId\(')?(.*?)(?:'|\/providers\/Microsoft\.Authorization)/;

  test.each([
    { name: "test", writers: ["00000000-0000-4000-8000-00000000e201"] },
    { name: "production", writers: ["00000000-0000-4000-8000-00000000e301"] },
    { name: "existing", writers: [] },
  ])("each identity has exactly the expected roles in $name", ({ name, writers }) => {
    const assigned = allOf(snapshotOf(name), "Authorization/roleAssignments").map(({ id, properties }) => {
      const { principalId, principalType, roleDefinitionId } = properties;
      const who = principal.exec(principalId)?.[1] ?? principalId;
      const where = withoutHash(lastOf(scope.exec(id)?.[1] ?? ""));
      return `${principalType} ${who}: ${roles[lastOf(roleDefinitionId)]} on ${where}`;
    });
    const ofApp = [
      "Key Vault Secrets User on kv-vmr-<hash>",
      `Monitoring Metrics Publisher on appi-vmr-${name}`,
      `Monitoring Metrics Publisher on dcr-vmr-${name}`,
      "Storage Blob Data Owner on stvmr<hash>",
      "Storage Queue Data Contributor on stvmr<hash>",
      "Storage Table Data Contributor on stvmr<hash>",
    ];
    expect(assigned.toSorted()).toEqual([
      ...writers.map((id) => `Group ${id}: Key Vault Secrets Officer on kv-vmr-<hash>`),
      `ServicePrincipal id-vmr-${name}-package: Storage Blob Data Contributor on stvmrpkg<hash>`,
      ...ofApp.map((role) => `ServicePrincipal id-vmr-${name}: ${role}`),
    ]);
  });

  test("the workflow's identity may assign exactly the roles of the template", () => {
    const condition = readFileSync("infra/role-condition.txt", "utf8");
    const lists = [...condition.matchAll(/GuidEquals \{([^}]*)\}/g)].map(([, list = ""]) => list.split(", "));
    expect(lists.map((list) => list.toSorted())).toEqual([1, 2].map(() => Object.keys(roles).toSorted()));
    expect(condition.match(/StringEqualsIgnoreCase \{'ServicePrincipal', 'Group'\}/g)).toHaveLength(2);
  });

  test("the app runs as one identity, and Azure stores its package with another one, in another account", () => {
    const { keyVaultReferenceIdentity, functionAppConfig } = propertiesOf(testing, "Web/sites");
    const { value, authentication } = functionAppConfig.deployment.storage;
    const identities = [keyVaultReferenceIdentity, authentication.userAssignedIdentityResourceId].map(lastOf);
    expect(identities).toEqual(["id-vmr-test", "id-vmr-test-package"]);
    expect(withoutHash(value)).toMatch(/stvmrpkg<hash>'.*'app-package'/);
  });
});

describe("The network", () => {
  const closable = ["Storage/storageAccounts", "KeyVault/vaults", "Web/sites"];
  const closed = (snapshot: Snapshot) => closable.flatMap((type) => allOf(snapshot, type));

  test("of test is open, and only the account with the records lets Azure's own services in", () => {
    for (const { name, type, properties } of closed(testing)) {
      expect([name, properties["publicNetworkAccess"]]).toEqual([name, "Enabled"]);
      // The lifecycle rule is one of these services.
      const bypass = /^(?:stvmrpkg|kv-)/.test(name) ? "None" : "AzureServices";
      const rules = type === "Microsoft.Web/sites" ? undefined : { bypass, defaultAction: "Allow" };
      expect(properties["networkAcls"]).toEqual(rules);
    }
  });

  test("is that of app and API Management", () => {
    const subnetOf = (snapshot: Snapshot) => propertiesOf(snapshot, "Web/sites")["virtualNetworkSubnetId"];
    expect(subnetOf(production)).toMatch(/\/vnet-vmr-production\/subnets\/app$/);
    expect(subnetOf(existing)).toMatch(/\/vnet-hub\/subnets\/app$/);
    const { virtualNetworkConfiguration, virtualNetworkType } = propertiesOf(
      production,
      "ApiManagement/service",
    );
    expect(virtualNetworkType).toBe("External");
    expect(virtualNetworkConfiguration.subnetResourceId).toMatch(
      /\/vnet-vmr-production\/subnets\/api-management$/,
    );
  });

  test("lets app and runner out by the fixed address, and asks public DNS for names that it lacks", () => {
    const { subnets } = propertiesOf(production, "Network/virtualNetworks");
    const out = subnets.filter(({ properties }: Resource) => properties["natGateway"] !== null);
    expect(out.map(({ name }: Resource) => name)).toEqual(["app", "runner"]);
    const nat = onlyOf(production, "Network/natGateways");
    for (const { properties } of out) expect(properties.natGateway.id).toBe(nat.id);
    const { id } = onlyOf(production, "Network/publicIPAddresses");
    expect(nat.properties["publicIpAddresses"]).toEqual([{ id }]);
    const links = allOf(production, "Network/privateDnsZones/virtualNetworkLinks");
    expect(new Set(links.map(({ properties }) => properties["resolutionPolicy"]))).toEqual(
      new Set(["NxDomainRedirect"]),
    );
  });

  test.each([
    { snapshot: production, subnet: "private-endpoints", zonesGroup: "rg-vmr-gateway-production" },
    { snapshot: existing, subnet: "endpoints", zonesGroup: "rg-dns" },
  ])("has an endpoint in $subnet, whose name resolves, of all that is closed", (row) => {
    const { snapshot, subnet, zonesGroup } = row;
    const zoneGroups = allOf(snapshot, "Network/privateEndpoints/privateDnsZoneGroups");
    const reached = allOf(snapshot, "Network/privateEndpoints").map(({ id, properties }) => {
      const { privateLinkServiceId, groupIds } = properties["privateLinkServiceConnections"][0].properties;
      const zoneGroup = zoneGroups.find((group) => group.id.startsWith(`${id}/`))?.properties;
      const zone = String(zoneGroup?.["privateDnsZoneConfigs"][0].properties.privateDnsZoneId);
      expect([lastOf(properties["subnet"].id), zone.split("/")[4]]).toEqual([subnet, zonesGroup]);
      expect(closed(snapshot).map((resource) => resource.id)).toContain(privateLinkServiceId);
      return `${withoutHash(lastOf(privateLinkServiceId)).split("-")[0]} ${groupIds} ${lastOf(zone)}`;
    });
    expect(reached.toSorted()).toEqual([
      "func sites privatelink.azurewebsites.net",
      "kv vault privatelink.vaultcore.azure.net",
      "stvmr<hash> blob privatelink.blob.core.windows.net",
      "stvmr<hash> queue privatelink.queue.core.windows.net",
      "stvmr<hash> table privatelink.table.core.windows.net",
      "stvmrpkg<hash> blob privatelink.blob.core.windows.net",
    ]);
  });
});

describe("The app settings", () => {
  const reference = /\(SecretUri=\{0\}secrets\/\{1\}\)'.*\/kv-vmr-\w+', '[\d-]+'\)\.vaultUri, '([A-Z-]+)'/;
  const secretsOf = (snapshot: Snapshot) =>
    Object.entries(settingsOf(snapshot)).flatMap(([name, value]) => {
      const [, secret] = reference.exec(value) ?? [];
      if (secret !== undefined) expect(secret).toBe(name.replaceAll("_", "-"));
      return secret === undefined ? [] : [name];
    });

  test("reach storage and logs as the app's identity, and have the ready delay of deployments", () => {
    expect(settingsOf(testing)).toMatchObject({
      AzureWebJobsStorage__accountName: expect.stringMatching(/^stvmr[a-z0-9]{13}$/),
      AzureWebJobsStorage__blobServiceUri: expect.stringMatching(/\.blob\)\]$/),
      AzureWebJobsStorage__queueServiceUri: expect.stringMatching(/\.queue\)\]$/),
      AzureWebJobsStorage__tableServiceUri: expect.stringMatching(/\.table\)\]$/),
      AzureWebJobsStorage__clientId: expect.stringMatching(/id-vmr-test', '[\d-]+'\)\.clientId/),
      APPLICATIONINSIGHTS_AUTHENTICATION_STRING: expect.stringMatching(/;Authorization=AAD', .*id-vmr-test'/),
      POOL_READY_DELAY_SECONDS: "90",
    });
  });

  test("of an environment replace the template's defaults, but nothing that the template knows", () => {
    expect(settingsOf(existing)).toMatchObject({
      GATEWAY_NAME: "rooms",
      POOL_READY_DELAY_SECONDS: "120",
      FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: "268434",
    });
  });

  test.each(everySnapshot)("of %s are accepted by the app once Azure has resolved them", (_, snapshot) => {
    const given = settingsOf(snapshot);
    const secrets = secretsFor(given);
    expect(secretsOf(snapshot).toSorted()).toEqual(Object.keys(secrets).toSorted());
    const resolved = Object.entries(given).map(([name, value]) => {
      if (name in secrets) return [name, secrets[name]];
      return [name, /ServiceUri$|ENDPOINT$/.test(name) ? "https://service.example.com" : value];
    });
    expect(loadSettings(Object.fromEntries(resolved)).unknownNames).toEqual([]);
  });
});
