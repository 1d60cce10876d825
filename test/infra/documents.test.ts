/** Each command block of the deployment guide runs, with recorded responses of Azure. */
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createPackage, guideAnswers, subscription } from "../support/infra/azure.ts";
import { type Response, runScript } from "../support/infra/run-script.ts";
import { useStarted } from "../support/use-started.ts";

const guide = await readFile("docs/deployment.md", "utf8");
const blocks = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
/** Commands in running text, such as the steps of the first deployment. */
const commands = [...guide.matchAll(/`((?:sh infra\/\S+|az|gh|npm ci|openssl) [^`]+)`/g)].map(
  ([, command = ""]) => command.replaceAll("\n", " "),
);

const project = useStarted(async () => {
  const folder = await mkdtemp(join(tmpdir(), "vmr-guide-"));
  await cp("infra", join(folder, "infra"), { recursive: true });
  const package_ = await createPackage();
  await cp(package_.path, join(folder, "dist", "vmr-gateway.zip"));
  await cp(`${package_.path}.sha256`, join(folder, "dist", "vmr-gateway.zip.sha256"));
  await package_.stop();
  return { folder, stop: async () => rm(folder, { recursive: true, force: true }) };
});

const environment = {
  GROUP: "rg-vmr-gateway-test",
  APP: "func-vmr-test",
  VAULT: "kv-vmr-test",
  STORAGE: "stvmrtest",
  REPOSITORY: "owner/name",
  ENVIRONMENT: "test",
  SCOPE: `/subscriptions/${subscription}`,
  AZURE_LOCATION: "westeurope",
};

const run = async (text: string, responses: readonly Response[] = []) =>
  runScript(["-eu", "-c", text.replaceAll(/<(\w+)>/g, "$1")], [...responses, ...guideAnswers], {
    environment,
    folder: project.folder,
    stubs: ["az", "azd", "gh", "npm", "curl", "sleep"],
  });

test.each([...blocks, ...commands])("This runs: %s", async (text) => {
  const { status, stderr } = await run(text);
  expect([status, stderr.replaceAll(/^Subscription .*\n/gm, "")]).toEqual([0, ""]);
});

test("The trust in the workflow has the subject that GitHub sends, in new and in old repositories", async () => {
  const block = blocks.find((text) => text.includes("federated-credential")) ?? "";
  const { commands: made } = await run(block);
  const subjectOf = (lines: readonly string[]) => /--subject (\S+)/.exec(lines.join("\n"))?.[1];
  expect(subjectOf(made)).toBe("repo:owner@1/name@2:environment:test");
  const old = await run(block, [{ to: "oidc/customization", status: 1, stdout: '{"message":"Not Found"}' }]);
  expect(subjectOf(old.commands)).toBe("repo:owner/name:environment:test");
  const roles = made.filter((line) => line.includes("role assignment create"));
  const names = roles.map((line) => /(?<=--role ).*?(?= --)/.exec(line)?.[0]);
  expect(names).toEqual(["Contributor", "Role Based Access Control Administrator"]);
  for (const line of roles) expect(line).toContain(`--assignee-object-id principal-1`);
  expect(made.join("\n")).toContain(
    "--condition (\n (!(ActionMatches{'Microsoft.Authorization/roleAssignments/write'}))",
  );
});
