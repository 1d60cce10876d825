/** Each command block of the deployment guide runs, with recorded responses of Azure. */
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { fixtureOf, readText } from "../../scripts/snapshots/inputs.ts";
import { alive, azure, createPackage, createProject, ownGroup } from "../support/infra/azure.ts";
import { type Response, runScript } from "../support/infra/run-script.ts";
import { useStarted } from "../support/use-started.ts";

const guide = await readFile("docs/deployment.md", "utf8");
const blocks = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
/** Commands in running text, such as the steps of the first deployment. */
const commands = [...guide.matchAll(/`((?:sh infra\/\S+|az|gh|npm ci|openssl) [^`]+)`/g)].map(
  ([, command = ""]) => command.replaceAll("\n", " "),
);

const project = useStarted(async () => {
  const made = await createProject(ownGroup);
  const package_ = await createPackage();
  for (const end of ["", ".sha256"])
    await cp(`${package_.path}${end}`, join(made.folder, "dist", `vmr-gateway.zip${end}`));
  await package_.stop();
  return made;
});

/** Commands without a response of their own succeed and print nothing. */
const answers: readonly Response[] = [
  { to: "actions/oidc/customization/sub --jq .sub_claim_prefix", stdout: "repo:owner@1/name@2\n" },
  { to: "identity show", stdout: "principal-1\n" },
  { to: "group exists", stdout: "true\n" },
  alive(),
  ...azure("test"),
  { to: "" },
];
const variables = {
  GROUP: ownGroup.group,
  APP: "func-vmr-test",
  VAULT: "kv-vmr-test",
  STORAGE: "stvmr",
};
test.each([...blocks, ...commands])("This runs: %s", (text) => {
  const options = { environment: variables, folder: project.folder };
  const given = text.replaceAll("<scope>", "/subscriptions/scope");
  const { status, stderr } = runScript(["-eu", "-c", given.replaceAll(/<(\w+)>/g, "$1")], answers, options);
  expect([status, stderr.replaceAll(/^Subscription .*\n/gm, "")]).toEqual([0, ""]);
});

const workflowRuns = [...blocks, ...commands].flatMap((text) => [
  ...text.replaceAll("\\\n", "").matchAll(/gh workflow run (\S+)(.*)/g),
]);

test.each(workflowRuns)(
  "%s names inputs of its workflow, and a runner that reaches a private network",
  (...run) => {
    const [, workflow, options = ""] = run;
    const inputs: unknown =
      parse(readText(`.github/workflows/${workflow}`)).on.workflow_dispatch?.inputs ?? {};
    const fields = Object.fromEntries(
      [...options.matchAll(/--field (\w+)=(\S+)/g)].map(([, ...field]) => field),
    );
    expect(Object.keys(Object(inputs))).toEqual(expect.arrayContaining(Object.keys(fields)));
    const { environment } = fields;
    const values = environment === undefined ? {} : parseEnv(readText(fixtureOf(environment)));
    expect("runner" in fields).toBe(values["PRIVATE_NETWORK"] === "true");
  },
);
