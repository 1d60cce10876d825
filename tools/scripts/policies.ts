/** Writes the table of policies into docs/api-management.md, as the infrastructure would set them with the secret on. */
import { readFileSync, writeFileSync } from "node:fs";
import { deployedWith } from "../../test/support/infra/environments.ts";
import { policyTablePath, withPolicyTable } from "../../test/support/infra/policy-table.ts";

const deployment = deployedWith("test", { requireApiManagementSecret: true });
writeFileSync(policyTablePath, withPolicyTable(readFileSync(policyTablePath, "utf8"), deployment));
