/** The storage account and the vault: their settings in each environment. */
import { describe, expect, it } from "vitest";
import { createRecordContainer } from "../support/infra/code-facts.ts";
import {
  bodyOf,
  deployedWith,
  environmentNames,
  environments,
  onlyOf,
  propertiesOf,
} from "../support/infra/environments.ts";

/** `bypass: None`: not even Azure's own services pass the firewall. */
const networkOf = (isPrivate: boolean) => ({
  publicNetworkAccess: isPrivate ? "Disabled" : "Enabled",
  networkAcls: { bypass: "None", defaultAction: isPrivate ? "Deny" : "Allow" },
});

describe.each(environmentNames)("The %s environment", (name) => {
  const deployment = environments[name];
  const network = networkOf(name === "production");

  it("Has a storage account without keys and anonymous access, with encrypted ways in only", () => {
    expect(bodyOf(onlyOf(deployment, "storage"))).toEqual({
      kind: "StorageV2",
      sku: { name: name === "development" ? "Standard_LRS" : "Standard_ZRS" },
      properties: {
        allowSharedKeyAccess: false,
        defaultToOAuthAuthentication: true,
        allowBlobPublicAccess: false,
        allowCrossTenantReplication: false,
        minimumTlsVersion: "TLS1_2",
        supportsHttpsTrafficOnly: true,
        ...network,
      },
    });
  });

  it("Deletes the records of idempotency keys, and nothing else, after they have ceased to count", () => {
    expect(propertiesOf(onlyOf(deployment, "lifecycle"))["policy"]).toEqual({
      rules: [
        {
          name: "expire-create-records",
          enabled: true,
          type: "Lifecycle",
          definition: {
            filters: { blobTypes: ["blockBlob"], prefixMatch: [`${createRecordContainer}/`] },
            actions: { baseBlob: { delete: { daysAfterModificationGreaterThan: 1 } } },
          },
        },
      ],
    });
  });

  it("Has a vault that is opened by roles, and kept after its deletion in production only", () => {
    expect(propertiesOf(onlyOf(deployment, "vault"))).toEqual({
      tenantId: "00000000-0000-4000-8000-00000000f000",
      sku: { family: "A", name: "standard" },
      enableRbacAuthorization: true,
      enableSoftDelete: true,
      ...(name === "production"
        ? { softDeleteRetentionInDays: 90, enablePurgeProtection: true }
        : { softDeleteRetentionInDays: 7 }),
      ...network,
    });
  });

  it("Has secrets in no parameter, resource or output", () => {
    const text = JSON.stringify(deployment.resources.map(({ fields }) => fields.type));
    expect(text).not.toContain("vaults/secrets");
    expect(Object.keys(deployment.parameters).filter((key) => /password|pin$|secret$/i.test(key))).toEqual(
      [],
    );
  });
});

it("The names of storage account and vault are as long as Azure allows, and no longer", () => {
  expect(onlyOf(environments.production, "storage").fields.name.length).toBeLessThanOrEqual(24);
  expect(onlyOf(environments.production, "vault").fields.name.length).toBeLessThanOrEqual(24);
});

it("The storage account is locally redundant if the region has no zones", () => {
  const account = onlyOf(deployedWith("test", { storageSku: "Standard_LRS" }), "storage");
  expect(bodyOf(account)["sku"]).toEqual({ name: "Standard_LRS" });
});
