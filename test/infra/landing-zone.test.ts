/**
 * What Azure's landing zones enforce by default, in our own words; and what many organisations add. The names are those
 * of https://github.com/Azure/Azure-Landing-Zones-Library/blob/main/platform/alz/README.md
 */
import { describe, expect, test } from "vitest";
import { allOf, snapshotOf, snapshots } from "../support/infra/snapshots.ts";

const every = [...snapshots.keys()];
// Those with PRIVATE_NETWORK, and those with PROTECT_VAULT: an enforced landing zone refuses others.
const inPrivateNetwork = ["production", "existing"];
const withProtectedVault = ["production"];

const closed = { publicNetworkAccess: "Disabled", networkAcls: { defaultAction: "Deny" } };

describe.each<[policy: string, type: string, environments: readonly string[], expected: object]>([
  ["Deny-Storage-http", "Storage/storageAccounts", every, { supportsHttpsTrafficOnly: true }],
  ["Enforce-TLS-SSL-Q225", "Storage/storageAccounts", every, { minimumTlsVersion: "TLS1_2" }],
  ["Enforce-TLS-SSL-Q225", "Web/sites", every, { httpsOnly: true, siteConfig: { minTlsVersion: "1.2" } }],
  ["Deny-Public-Endpoints", "Storage/storageAccounts", inPrivateNetwork, closed],
  ["Deny-Public-Endpoints", "KeyVault/vaults", inPrivateNetwork, closed],
  ["Deny-Public-Endpoints", "Web/sites", inPrivateNetwork, { publicNetworkAccess: "Disabled" }],
  [
    "Enforce-GR-KeyVault",
    "KeyVault/vaults",
    every,
    { enableRbacAuthorization: true, enableSoftDelete: true },
  ],
  [
    "Enforce-GR-KeyVault",
    "KeyVault/vaults",
    withProtectedVault,
    { enablePurgeProtection: true, softDeleteRetentionInDays: 90 },
  ],
  ["no shared keys", "Storage/storageAccounts", every, { allowSharedKeyAccess: false }],
  ["no shared keys", "Insights/components", every, { DisableLocalAuth: true }],
  [
    "no shared keys",
    "OperationalInsights/workspaces",
    ["test", "production"],
    { features: { disableLocalAuth: true } },
  ],
  ["no shared keys", "Web/sites/basicPublishingCredentialsPolicies", every, { allow: false }],
  [
    "no anonymous access",
    "Storage/storageAccounts",
    every,
    { allowBlobPublicAccess: false, allowCrossTenantReplication: false },
  ],
])("The policy %s for %s", (_, type, environments, expected) => {
  test.each(environments)("lets %s pass", (name) => {
    const resources = allOf(snapshotOf(name), type);
    expect(resources.length).toBeGreaterThan(0);
    for (const { properties } of resources) expect(properties).toMatchObject(expected);
  });
});

test("Each subnet has a security group, and no address of its own to the internet", () => {
  const networks = allOf(snapshotOf("production"), "Network/virtualNetworks");
  const subnets = networks.flatMap(({ properties }) => properties["subnets"]);
  expect(subnets.length).toBeGreaterThan(3);
  // Deny-Subnet-Without-Nsg excepts subnets of gateways, firewalls and route servers; Enforce-Subnet-Private is the
  // other.
  for (const { name, properties } of subnets)
    expect([name, properties]).toMatchObject([
      name,
      { networkSecurityGroup: { id: expect.any(String) }, defaultOutboundAccess: false },
    ]);
  // Deny-MgmtPorts-Internet: without rules, a group lets nothing in.
  const groups = allOf(snapshotOf("production"), "Network/networkSecurityGroups");
  expect(groups.map(({ properties }) => properties)).toEqual([{}]);
});
