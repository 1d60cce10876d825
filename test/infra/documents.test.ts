/** Each command block of the deployment guide runs, with recorded responses of Azure and the values of two teams. */
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { alive, azure, createPackage, createProject, teams } from "../support/infra/azure.ts";
import { type Response, runScript } from "../support/infra/run-script.ts";
import { useStarted } from "../support/use-started.ts";

const guide = await readFile("docs/deployment.md", "utf8");
const blocks = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
/** Commands in running text, such as the steps of the first deployment. */
const commands = [...guide.matchAll(/`((?:sh infra\/\S+|az|gh|npm ci|openssl) [^`]+)`/g)].map(
  ([, command = ""]) => command.replaceAll("\n", " "),
);

describe.each(teams)("With the values of $environment in $folder,", (team) => {
  const { environment, subscription, location, group } = team;
  const project = useStarted(async () => {
    const made = await createProject(team);
    const package_ = await createPackage();
    await cp(package_.path, join(made.folder, "dist", "vmr-gateway.zip"));
    await cp(`${package_.path}.sha256`, join(made.folder, "dist", "vmr-gateway.zip.sha256"));
    await package_.stop();
    return made;
  });

  /** Commands without a response of their own succeed and print nothing. */
  const answers: readonly Response[] = [
    { to: "actions/oidc/customization/sub --jq .sub_claim_prefix", stdout: "repo:owner@1/name@2\n" },
    { to: "identity show", stdout: "principal-1\n" },
    { to: "group exists", stdout: "true\n" },
    alive(),
    ...azure(environment),
    { to: "" },
  ];
  const variables = {
    GROUP: group,
    APP: `func-vmr-${environment}`,
    VAULT: `kv-vmr-${environment}`,
    STORAGE: "stvmr",
    REPOSITORY: "owner/name",
    ENVIRONMENT: environment,
    SCOPE: `/subscriptions/${subscription}`,
    AZURE_LOCATION: location,
  };
  /** The guide names the environment test. */
  const named = (text: string) =>
    text.replaceAll(/(?<=deploy\.sh [\w-]+ |teardown\.sh |CONFIRM=|environment=)test\b/g, environment);
  const run = async (text: string, responses: readonly Response[] = []) =>
    runScript(["-eu", "-c", named(text).replaceAll(/<(\w+)>/g, "$1")], [...responses, ...answers], {
      environment: variables,
      folder: project.folder,
      stubs: ["az", "gh", "npm", "curl", "sleep"],
    });

  test.each([...blocks, ...commands])("this runs: %s", async (text) => {
    const { status, stderr } = await run(text);
    expect([status, stderr.replaceAll(/^Subscription .*\n/gm, "")]).toEqual([0, ""]);
  });

  test("the trust in the workflow has the subject that GitHub sends, in new and in old repositories", async () => {
    const block = blocks.find((text) => text.includes("federated-credential")) ?? "";
    const { commands: made } = await run(block);
    const subjectOf = (lines: readonly string[]) => /--subject (\S+)/.exec(lines.join("\n"))?.[1];
    expect(subjectOf(made)).toBe(`repo:owner@1/name@2:environment:${environment}`);
    const old = await run(block, [
      { to: "oidc/customization", status: 1, stdout: '{"message":"Not Found"}' },
    ]);
    expect(subjectOf(old.commands)).toBe(`repo:owner/name:environment:${environment}`);
    const roles = made.filter((line) => line.includes("role assignment create"));
    const names = roles.map((line) => /(?<=--role ).*?(?= --)/.exec(line)?.[0]);
    expect(names).toEqual(["Contributor", "Role Based Access Control Administrator"]);
    for (const line of roles) expect(line).toContain("--assignee-object-id principal-1");
    expect(made.join("\n")).toContain(
      "--condition (\n (!(ActionMatches{'Microsoft.Authorization/roleAssignments/write'}))",
    );
  });
});
