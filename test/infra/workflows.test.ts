/** The workflows: who may do what, what runs when, and that what they call exists. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import manifest from "../../package.json" with { type: "json" };
import { createPackage } from "../support/infra/azure.ts";

const Rights = z.record(z.string(), z.string());
const text = z.string().optional();
const Step = z.looseObject({ if: text, name: text, uses: text, run: text });
const Job = z.looseObject({
  if: text,
  env: z.record(z.string(), z.string()).default({}),
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

type Contexts = Readonly<Record<string, unknown>>;
type Workflow = z.infer<typeof Workflow>;

const startsWith = (text: string, start: string) => text.toLowerCase().startsWith(start.toLowerCase());

/**
 * Evaluates an expression of GitHub as JavaScript, which means the same, except that GitHub's `==` ignores case
 * (https://docs.github.com/actions/reference/evaluate-expressions).
 */
const evaluate = (expression: string, contexts: Contexts): unknown =>
  runInNewContext(expression.replace(/^\$\{\{(.*)\}\}$/s, "$1"), { ...contexts, startsWith });

/** Whether a job or step runs. GitHub adds `success()` to a condition that does not ask for the status. */
function isRun(condition: string, status: "success" | "failure" | "cancelled", contexts: Contexts): boolean {
  const is = (name: typeof status) => () => status === name;
  const functions = {
    always: () => true,
    success: is("success"),
    failure: is("failure"),
    cancelled: is("cancelled"),
  };
  const asksForStatus = /\b(?:always|cancelled|failure|success)\(/.test(condition);
  return (
    (asksForStatus || status === "success") && Boolean(evaluate(condition, { ...contexts, ...functions }))
  );
}

const partOf = (job: string, { name, uses = "script" }: z.infer<typeof Step>) =>
  `${job}: ${name ?? uses.replace(/@.*/, "")}`;

interface Run {
  readonly github?: Readonly<Record<string, unknown>>;
  readonly isPrivate?: boolean;
  readonly vars?: Readonly<Record<string, string>>;
  readonly inputs?: Readonly<Record<string, string | boolean>>;
  /** The job that fails. */
  readonly failed?: string;
  /** Whether that job is cancelled instead, but not the others. */
  readonly isCancelled?: boolean;
}

/** Returns the jobs and steps with a condition that run, by default for main in a public repository. */
function conditionalParts(
  { jobs }: Workflow,
  { failed, isCancelled, isPrivate = false, ...run }: Run,
): string[] {
  const repository = "example/vmr-gateway";
  const pull_request = { head: { repo: { full_name: repository } } };
  const event = { repository: { private: isPrivate }, pull_request };
  const needs: Record<string, { result: string; outputs: object }> = {};
  const contexts = {
    github: { ref: "refs/heads/main", event_name: "push", repository, event, ...run.github },
    inputs: { environment: "test", package: "", provision: true, ...run.inputs },
    vars: { AZURE_WHAT_IF_CLIENT_ID: "", ...run.vars },
    needs,
  };
  return Object.entries(jobs).flatMap(([id, job]) => {
    const isDue = job.needs.every((need) => needs[need]?.result === "success");
    const runs = isRun(job.if ?? "true", isDue ? "success" : "failure", contexts);
    const ended = failed !== id ? "success" : isCancelled ? "cancelled" : "failure";
    needs[id] = { result: runs ? ended : "skipped", outputs: {} };
    if (!runs) return [];
    const offered = evaluate(job.env["IS_OFFERED"] ?? "''", contexts);
    const withEnv = { ...contexts, env: { IS_OFFERED: String(offered) } };
    const status = failed === id ? "failure" : "success";
    const steps = job.steps.filter((step) => step.if !== undefined && isRun(step.if, status, withEnv));
    return [...(job.if === undefined ? [] : [id]), ...steps.map((step) => partOf(id, step))];
  });
}

const refuse = "choose: Refuse a package for production that no other environment has run";
const verify = "choose: Verify that CI of this repository has built the release";
const recorded = ["release: Record what has run outside production", "release: actions/upload-artifact"];
const deployed = ["choose", "provision", "release"];
const guarded = ["choose", refuse, "provision", "release"];
const verified = ["choose", verify, "provision", "release", ...recorded];
const compare = "check: Compare the tag with the version";
const codeql = ["actions/checkout", "github/codeql-action/init", "github/codeql-action/analyze"];
const scanned = codeql.map((action) => `codeql: ${action}`);
const signed = ["attest", "attest: actions/download-artifact", "attest: actions/attest-build-provenance"];
const unsigned = ["codeql: script", "attest", "attest: script"];
const review = "dependency-review";
const reviewed = [review, `${review}: actions/checkout`, `${review}: actions/dependency-review-action`];

const to = (environment: string): Run => ({ inputs: { environment } });
const ofRelease = { inputs: { package: "v1.0.0" } };
const ofTag = { github: { ref: "refs/tags/v1.0.0" } };
const ofPull = { github: { event_name: "pull_request" } };
const privately = { isPrivate: true };
const cancelled = { failed: "provision", isCancelled: true };
const signing = { isPrivate: true, vars: { ATTESTATIONS: "true" } };
const vars = { AZURE_WHAT_IF_CLIENT_ID: "00000000-0000-4000-8000-000000000001" };

const cases: [workflow: string, is: string, run: Run, parts: string[]][] = [
  ["deploy", "to before-production", to("before-production"), [...deployed, ...recorded]],
  ["deploy", "to production", to("production"), guarded],
  ["deploy", "to production-eu", to("production-eu"), guarded],
  ["deploy", "of a release", ofRelease, verified],
  ["deploy", "of an unsigned release", { ...ofRelease, ...privately }, [...deployed, ...recorded]],
  ["deploy", "of a signed private release", { ...ofRelease, ...signing }, verified],
  ["deploy", "without provisioning", { inputs: { provision: false } }, ["choose", "release", ...recorded]],
  ["deploy", "from a tag", ofTag, [...deployed, ...recorded]],
  ["deploy", "from another branch", { github: { ref: "refs/heads/main-2" } }, []],
  ["deploy", "whose package is refused", { failed: "choose" }, ["choose"]],
  ["deploy", "whose provisioning fails", { failed: "provision" }, ["choose", "provision"]],
  ["deploy", "whose provisioning is cancelled", cancelled, ["choose", "provision"]],
  ["deploy", "whose release fails", { failed: "release" }, [...deployed, "release: Say what to do"]],
  ["ci", "of a tag", ofTag, [compare, ...scanned, ...signed, "release"]],
  ["ci", "of a tag in a private repository", { ...ofTag, ...privately }, [compare, ...unsigned, "release"]],
  ["ci", "of a tag whose check fails", { ...ofTag, failed: "check" }, scanned],
  ["ci", "of a pull request", ofPull, [...scanned, ...reviewed]],
  [
    "ci",
    "of a pull request in a private repository",
    { ...ofPull, ...privately },
    ["codeql: script", review, `${review}: script`],
  ],
  ["what-if", "without an identity", {}, []],
  ["what-if", "with an identity", { vars }, ["what-if"]],
  ["what-if", "of a fork", { vars, github: { repository: "example/fork" } }, []],
];

const named = (name: string) => workflows[names.indexOf(name)] ?? { permissions: {}, jobs: {} };

test.each(cases)(
  "A run of %s %s contains exactly the right conditional jobs and steps",
  (name, _, run, parts) => {
    expect(conditionalParts(named(name), run)).toEqual(parts);
  },
);

test("Every job and step with a condition runs in one of these cases", () => {
  const seen = new Set(cases.flatMap(([name, , , parts]) => parts.map((part) => `${name} ${part}`)));
  expect(seen.size).toBe(texts.join("\n").match(/^ +(?:- )?if: /gm)?.length);
});

const gate = "release: Refuse a commit for which nightly has not passed";
const questions: Readonly<Record<string, string>> = {
  [refuse]: "api repos/owner/name/actions/artifacts?name=ran-0815 --jq .artifacts[].workflow_run",
  [gate]: "run list --workflow nightly.yml --commit 4711 --status success --json databaseId --jq length",
};

test.each([
  { is: "stops a package that has not run", workflow: "deploy", step: refuse, status: 1 },
  { is: "stops what a fork has run", workflow: "deploy", step: refuse, gh: "71 7 main", status: 1 },
  { is: "stops what a branch has run", workflow: "deploy", step: refuse, gh: "71 71 main-2", status: 1 },
  {
    is: "lets a package pass that main has run",
    workflow: "deploy",
    step: refuse,
    gh: "71 7 main\\n71 71 main",
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
  const options = { env: { PATH: process.env["PATH"], ...github }, encoding: "utf8" } as const;
  const stub = `gh() { echo "$*" >&2; printf '${gh}'; }`;
  const ended = spawnSync("sh", ["-e", "-c", `${stub}\n${run}`], options);
  expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(questions[step] ?? "")]);
});

test.each([
  {
    is: "the newest that CI of main has tested",
    release: "",
    asked:
      "run list --workflow ci.yml --branch main --event push --status success --limit 1 --json databaseId --jq .[0].databaseId\n" +
      "run download 4711 --name vmr-gateway --dir dist\n",
  },
  {
    is: "a release",
    release: "v1.0.0",
    asked: "release download v1.0.0 --pattern vmr-gateway.zip* --dir dist\n",
  },
])("The package to deploy is $is, and its checksum is approved", async ({ release, asked }) => {
  const made = await createPackage();
  onTestFinished(made.stop);
  const checksum = readFileSync(`${made.path}.sha256`, "utf8").split(" ")[0];
  const [fetchStep] = named("deploy").jobs["choose"]?.steps ?? [];
  const folder = dirname(made.path);
  const files = { GITHUB_OUTPUT: join(folder, "output"), GITHUB_STEP_SUMMARY: join(folder, "summary") };
  const options = {
    env: { PATH: process.env["PATH"], PACKAGE: release, ...files },
    cwd: folder,
    encoding: "utf8",
  } as const;
  const stub = `gh() { echo "$*" >&2; echo 4711; }\nmkdir dist; cp vmr-gateway.zip* dist`;
  const { status, stderr } = spawnSync("sh", ["-e", "-c", `${stub}\n${fetchStep?.run}`], options);
  expect([status, stderr]).toEqual([0, asked]);
  expect(readFileSync(files.GITHUB_OUTPUT, "utf8")).toBe(`checksum=${checksum}\n`);
  const compareStep = named("deploy").jobs["release"]?.steps.find(({ name }) => name?.startsWith("Compare"));
  const statuses = [checksum, "0".repeat(64)].map((CHECKSUM) => {
    const env = { PATH: process.env["PATH"], CHECKSUM };
    return spawnSync("sh", ["-e", "-c", compareStep?.run ?? ""], { ...options, env }).status;
  });
  expect(statuses).toEqual([0, 1]);
});

/**
 * GitHub ends the run in progress of a group if `cancel-in-progress` is true for the new run, except for a job whose condition
 * is still true then (https://docs.github.com/actions/reference/workflow-cancellation-reference).
 */
test.each([
  { is: "A rollback ends", provision: false, isEnded: true },
  { is: "A deployment that provisions does not end", provision: true, isEnded: false },
])("$is the run in its way, whichever job runs or waits for approval", ({ provision, isEnded }) => {
  const { concurrency, jobs } = named("deploy");
  const cancels = evaluate(String(concurrency?.["cancel-in-progress"]), { inputs: { provision } });
  const needs = { choose: { result: "success" }, provision: { result: "success" } };
  const contexts = { inputs: { provision: true }, github: { ref: "refs/heads/main" }, needs, startsWith };
  const ended = Object.entries(jobs).flatMap(([id, job]) =>
    cancels && !isRun(job.if ?? "true", "cancelled", contexts) ? [id] : [],
  );
  expect(ended).toEqual(isEnded ? deployed : []);
  expect(concurrency?.group).toBe("deploy-${{ inputs.environment }}");
});
