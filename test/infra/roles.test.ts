/** Who may do what: every role with its resource and its holder. */
import { describe, expect, it } from "vitest";
import type { Deployment } from "../support/infra/bicep/deployment.ts";
import {
  allOf,
  deployedWith,
  environmentNames,
  environments,
  propertiesOf,
  withoutHash,
} from "../support/infra/environments.ts";

/** https://learn.microsoft.com/azure/role-based-access-control/built-in-roles */
const roleNames: Readonly<Record<string, string>> = {
  "b7e6dc6d-f1e8-4753-8033-0f276bb0955b": "Storage Blob Data Owner",
  "974c5e8b-45b9-4653-ba55-5f855dd0fb88": "Storage Queue Data Contributor",
  "0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3": "Storage Table Data Contributor",
  "4633458b-17de-408a-b874-0445c86b69e6": "Key Vault Secrets User",
  "b86a8fe4-44ce-4948-aee5-eccb2c155cd7": "Key Vault Secrets Officer",
  "3913510d-42f4-4e42-8a64-420c390055eb": "Monitoring Metrics Publisher",
};

/** Each assignment as `holder (kind): role on resource`. */
function rolesOf(deployment: Deployment): string[] {
  return allOf(deployment, "roleAssignment")
    .map((assignment) => {
      const { principalId, principalType, roleDefinitionId } = propertiesOf(assignment);
      const role = roleNames[String(roleDefinitionId).split("/").at(-1) ?? ""];
      const resource = assignment.fields.scopeId.split("/").slice(-2).join("/");
      return withoutHash(`${String(principalId)} (${String(principalType)}): ${role} on ${resource}`);
    })
    .toSorted();
}

const appRoles = (name: string): string[] => [
  `principal of id-vmr-${name} (ServicePrincipal): Key Vault Secrets User on vaults/kv-vmr-<hash>`,
  `principal of id-vmr-${name} (ServicePrincipal): Monitoring Metrics Publisher on components/appi-vmr-${name}`,
  `principal of id-vmr-${name} (ServicePrincipal): Monitoring Metrics Publisher on dataCollectionRules/dcr-vmr-${name}`,
  `principal of id-vmr-${name} (ServicePrincipal): Storage Blob Data Owner on storageAccounts/stvmr<hash>`,
  `principal of id-vmr-${name} (ServicePrincipal): Storage Queue Data Contributor on storageAccounts/stvmr<hash>`,
  `principal of id-vmr-${name} (ServicePrincipal): Storage Table Data Contributor on storageAccounts/stvmr<hash>`,
];

const officer = (digit: number, kind = "Group"): string =>
  `00000000-0000-4000-8000-00000000e${digit}01 (${kind}): Key Vault Secrets Officer on vaults/kv-vmr-<hash>`;

describe("Roles", () => {
  it.each([
    ["development", "dev", 1],
    ["test", "test", 2],
    ["production", "prod", 3],
  ] as const)("Are these and no others in %s", (environment, name, digit) => {
    expect(rolesOf(environments[environment])).toEqual([officer(digit), ...appRoles(name)].toSorted());
  });

  it("Are those of the app alone if nobody is named who sets secrets", () => {
    const deployment = deployedWith("test", { secretOfficerPrincipalId: "" });
    expect(rolesOf(deployment)).toEqual(appRoles("test").toSorted());
  });

  it("Let a person set secrets if a person is named", () => {
    const deployment = deployedWith("test", { secretOfficerPrincipalType: "User" });
    expect(rolesOf(deployment)).toContain(officer(2, "User"));
  });

  it("Let API Management read the vault for its secret, as its own identity", () => {
    const added = rolesOf(deployedWith("test", { requireApiManagementSecret: true })).filter(
      (role) => !rolesOf(environments.test).includes(role),
    );
    expect(added).toEqual([
      "principal of apim-vmr-test-<hash> (ServicePrincipal): Key Vault Secrets User on vaults/kv-vmr-<hash>",
    ]);
  });

  it("Let API Management read the vault for its certificate, as an identity that exists before it", () => {
    const deployment = deployedWith("test", {
      customHostName: "rooms.example.com",
      customHostCertificateUri: "https://kv-example.vault.example.com/secrets/rooms",
    });
    expect(rolesOf(deployment)).toContain(
      "principal of id-vmr-api-management-test (ServicePrincipal): Key Vault Secrets User on vaults/kv-vmr-<hash>",
    );
  });

  it("Have names that differ, so no assignment replaces another one", () => {
    for (const name of environmentNames) {
      const ids = allOf(environments[name], "roleAssignment").map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });
});
