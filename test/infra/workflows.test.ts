/** The workflows: who may do what, what runs when, and that what they call exists. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import manifest from "../../package.json" with { type: "json" };
import { createPackage } from "../support/infra/azure.ts";
import { runScript } from "../support/infra/run-script.ts";

const Rights = z.record(z.string(), z.string());
const text = z.string().optional();
const Step = z.looseObject({ if: text, name: text, uses: text, run: text });
const Job = z.looseObject({
  if: text,
  permissions: Rights.optional(),
  needs: z.array(z.string()).default([]),
  steps: z.array(Step),
});
const Concurrency = z.object({ group: z.string(), "cancel-in-progress": z.union([z.boolean(), z.string()]) });
const Workflow = z.object({
  permissions: Rights,
  concurrency: Concurrency.optional(),
  jobs: z.record(z.string(), Job),
});
const names = ["ci", "deploy", "nightly", "what-if"];
const texts = names.map((name) => readFileSync(`.github/workflows/${name}.yml`, "utf8"));
const workflows = texts.map((text) => Workflow.parse(parse(text)));

test("Every step pins its action by commit, leaves no credentials behind, and calls what exists", () => {
  const text = texts.join("\n");
  const pinned = /^.*uses: [\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm;
  expect(text.match(pinned)).toHaveLength(text.match(/uses: /g)?.length ?? 0);
  expect(text.match(/persist-credentials: false/g)).toHaveLength(
    text.match(/actions\/checkout@/g)?.length ?? 0,
  );
  const scripts = text.match(/(?<=run: npm run |^ +npm run )[\w-]+/gm) ?? [];
  expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
  const files = text.match(/(?<=sh |")(?:infra|tools)\/[\w/-]+\.\w+/g) ?? [];
  expect(files.filter((path) => !existsSync(path))).toEqual([]);
});

test("Only the jobs of the workflows that log in to Azure, sign or publish have the permission to do so", () => {
  const rights = workflows.flatMap(({ permissions, jobs }) => [
    permissions,
    ...Object.entries(jobs).flatMap(([job, own]) => (own.permissions ? [{ job, ...own.permissions }] : [])),
  ]);
  const logIn = { contents: "read", "id-token": "write" };
  expect(rights).toEqual([
    { contents: "read" },
    { job: "codeql", contents: "read", "security-events": "write" },
    { job: "attest", attestations: "write", "id-token": "write" },
    { job: "release", actions: "read", contents: "write" },
    { contents: "read", actions: "read" },
    { job: "choose", contents: "read", actions: "read", attestations: "read" },
    ...["provision", "release"].map((job) => ({ job, ...logIn })),
    { contents: "read" },
    logIn,
  ]);
});

test("A pull request logs in to Azure as the identity that may only ask what would change", () => {
  const names = texts.map((text) => text.match(/(?<=-id: \$\{\{ vars\.AZURE_)\w+/g));
  const own = ["CLIENT_ID", "TENANT_ID", "SUBSCRIPTION_ID"];
  expect(names).toEqual([null, [...own, ...own], null, own.map((name) => `WHAT_IF_${name}`)]);
});

test("A release waits for every check, a deployment for its approval, and nothing is recorded after a failure", () => {
  const [ci, deploy] = workflows;
  expect(ci?.jobs["release"]?.needs).toEqual(["check", "infrastructure", "attest"]);
  const approval = { environment: "${{ inputs.environment }}" };
  expect(deploy?.jobs).toMatchObject({
    provision: { needs: ["choose"], ...approval },
    release: { needs: ["choose", "provision"], ...approval },
  });
});

const partOf = (job: string, { name, uses = "script" }: z.infer<typeof Step>) =>
  `${job}: ${name ?? uses.replace(/@.*/, "")}`;

const refuse = "choose: Refuse a package for production that no other environment has run";
const compare = "check: Compare the tag with the version";
const named = (name: string) => workflows[names.indexOf(name)] ?? { permissions: {}, jobs: {} };

/** Returns the conditions of a workflow, each with the jobs and steps that have it. */
function conditionsOf({ jobs, concurrency }: z.infer<typeof Workflow>): Record<string, string[]> {
  const parts = Object.entries(jobs).flatMap(([id, job]) => [
    { condition: job.if, part: id },
    ...job.steps.map((step) => ({ condition: step.if, part: partOf(id, step) })),
  ]);
  const cancels = { condition: concurrency?.["cancel-in-progress"], part: "cancels the run before" };
  const all = [...parts, cancels].filter(({ condition }) => condition !== undefined && condition !== false);
  const groups = Map.groupBy(all, ({ condition }) => String(condition));
  return Object.fromEntries(
    [...groups].map(([condition, group]) => [condition, group.map(({ part }) => part)]),
  );
}

const offersSecurity = "!github.event.repository.private || vars.ADVANCED_SECURITY == 'true'";
const offersSignatures = "!github.event.repository.private || vars.ATTESTATIONS == 'true'";
const isProduction = "startsWith(inputs.environment, 'production')";

// GitHub evaluates them: https://docs.github.com/actions/reference/evaluate-expressions
test("A job or step that does not always run has the condition that its workflow needs", () => {
  expect(workflows.map(conditionsOf)).toEqual([
    {
      "startsWith(github.ref, 'refs/tags/v')": [compare, "attest", "release"],
      [`\${{ ${offersSecurity} }}`]: ["codeql"],
      [`github.event_name == 'pull_request' && (${offersSecurity})`]: ["dependency-review"],
      [`\${{ ${offersSignatures} }}`]: ["attest: actions/attest-build-provenance"],
      true: ["cancels the run before"],
    },
    {
      "github.ref == 'refs/heads/main' || startsWith(github.ref, 'refs/tags/v')": ["choose"],
      [`inputs.package != '' && (${offersSignatures})`]: [
        "choose: Verify that CI of this repository has built the release",
      ],
      [isProduction]: [refuse],
      "inputs.provision": ["provision"],
      // A job with always() would not end when its run is cancelled:
      // https://docs.github.com/actions/reference/workflow-cancellation-reference
      "${{ !cancelled() && needs.choose.result == 'success' && needs.provision.result != 'failure' && needs.provision.result != 'cancelled' }}":
        ["release"],
      "failure()": ["release: Say what to do"],
      [`\${{ !${isProduction} }}`]: [
        "release: Record what has run outside production",
        "release: actions/upload-artifact",
      ],
      "${{ !inputs.provision }}": ["cancels the run before"],
    },
    { "${{ !cancelled() }}": Array(7).fill("nightly: script") },
    {
      "vars.AZURE_WHAT_IF_CLIENT_ID != '' && github.event.pull_request.head.repo.full_name == github.repository":
        ["what-if"],
    },
  ]);
  expect(named("deploy").concurrency?.group).toBe("deploy-${{ inputs.environment }}");
});

const gate = "release: Refuse a commit for which nightly has not passed";
const questions: Readonly<Record<string, string>> = {
  [refuse]: "gh api repos/owner/name/actions/artifacts?name=ran-0815 --jq .artifacts[].workflow_run",
  [gate]: "gh run list --workflow nightly.yml --commit 4711 --status success --json databaseId --jq length",
};
const runStep = (run: string, gh: string, environment: Record<string, string>, folder = ".") =>
  runScript(["-e", "-c", run], [{ to: "gh ", stdout: gh }], { environment, folder });

test.each([
  { is: "stops a package that has not run", workflow: "deploy", step: refuse, status: 1 },
  { is: "stops what a fork has run", workflow: "deploy", step: refuse, gh: "71 7 main", status: 1 },
  { is: "stops what a branch has run", workflow: "deploy", step: refuse, gh: "71 71 main-2", status: 1 },
  {
    is: "lets a package pass that main has run",
    workflow: "deploy",
    step: refuse,
    gh: "71 7 main\n71 71 main",
    status: 0,
  },
  { is: "lets what a tag has run pass", workflow: "deploy", step: refuse, gh: "71 71 v1.0.0", status: 0 },
  { is: "stops a commit without a nightly run", workflow: "ci", step: gate, gh: "0", status: 1 },
  { is: "lets a commit with a nightly run pass", workflow: "ci", step: gate, gh: "2", status: 0 },
  { is: "stops a tag of another version", workflow: "ci", step: compare, tag: "v0.0.0", status: 1 },
  {
    is: "lets the tag of this version pass",
    workflow: "ci",
    step: compare,
    tag: `v${manifest.version}`,
    status: 0,
  },
])("The script of a step $is", ({ workflow, step, gh = "", tag = "", status }) => {
  const jobs = Object.entries(named(workflow).jobs);
  const [run = "exit 9"] = jobs.flatMap(([id, job]) =>
    job.steps.flatMap((one) => (partOf(id, one) === step ? [one.run] : [])),
  );
  const github = { GITHUB_REF_NAME: tag, GITHUB_SHA: "4711", GH_REPO: "owner/name", CHECKSUM: "0815" };
  const ended = runStep(run, gh, github);
  expect([ended.status, ended.commands.join("\n")]).toEqual([
    status,
    expect.stringContaining(questions[step] ?? ""),
  ]);
});

test.each([
  {
    is: "the newest that CI of main has tested",
    release: "",
    asked: [
      "gh run list --workflow ci.yml --branch main --event push --status success --limit 1 --json databaseId --jq .[0].databaseId",
      "gh run download 4711 --name vmr-gateway --dir dist",
    ],
  },
  {
    is: "a release",
    release: "v1.0.0",
    asked: ["gh release download v1.0.0 --pattern vmr-gateway.zip* --dir dist"],
  },
])("The package to deploy is $is, and its checksum is approved", async ({ release, asked }) => {
  const made = await createPackage();
  onTestFinished(made.stop);
  const checksum = readFileSync(`${made.path}.sha256`, "utf8").split(" ")[0];
  const [fetchStep] = named("deploy").jobs["choose"]?.steps ?? [];
  const folder = dirname(made.path);
  const files = { GITHUB_OUTPUT: join(folder, "output"), GITHUB_STEP_SUMMARY: join(folder, "summary") };
  const run = `mkdir dist; cp vmr-gateway.zip* dist\n${fetchStep?.run}`;
  const { status, commands } = runStep(run, "4711\n", { PACKAGE: release, ...files }, folder);
  expect([status, commands]).toEqual([0, asked]);
  expect(readFileSync(files.GITHUB_OUTPUT, "utf8")).toBe(`checksum=${checksum}\n`);
  const compareStep = named("deploy").jobs["release"]?.steps.find(({ name }) => name?.startsWith("Compare"));
  const statuses = [checksum, "0".repeat(64)].map(
    (CHECKSUM = "") => runStep(compareStep?.run ?? "exit 9", "", { CHECKSUM }, folder).status,
  );
  expect(statuses).toEqual([0, 1]);
});
