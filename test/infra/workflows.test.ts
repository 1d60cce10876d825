/** The workflows: who may do what, which package is deployed, and in which order. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import manifest from "../../package.json" with { type: "json" };

const Job = z.looseObject({
  if: z.string().default(""),
  environment: z.string().optional(),
  needs: z.array(z.string()).default([]),
  permissions: z.record(z.string(), z.string()).optional(),
  steps: z.array(z.looseObject({ uses: z.string().default(""), run: z.string().default("") })),
});
const Workflow = z.object({ permissions: z.record(z.string(), z.string()), jobs: z.record(z.string(), Job) });
const folder = join(".github", "workflows");
const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
const [ci, deploy, nightly, whatIf] = texts.map((text) => Workflow.parse(parse(text)));
const jobOf = (workflow: typeof ci, name: string) => Job.parse(workflow?.jobs[name]);
const commandsOf = (job: z.infer<typeof Job>) => job.steps.map(({ run }) => run).join("\n");
const [choose, provision] = [jobOf(deploy, "choose"), jobOf(deploy, "provision")];
const release = jobOf(deploy, "release");

/** Expects that the texts are in the job, in this order. */
function expectOrder(job: object, ...parts: readonly string[]): void {
  const text = JSON.stringify(job);
  const places = parts.map((part) => text.indexOf(part));
  expect([parts, places]).toEqual([parts, places.toSorted((one, other) => one - other)]);
  expect(places).not.toContain(-1);
}

test("Every step pins its action by commit, leaves no credentials behind, and calls what exists", () => {
  const text = texts.join("\n");
  const pinned = /^.*uses: [\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm;
  expect(text.match(pinned)).toHaveLength(text.match(/uses: /g)?.length ?? 0);
  expect(text.match(/persist-credentials: false/g)).toHaveLength(
    text.match(/actions\/checkout@/g)?.length ?? 0,
  );
  const scripts = text.match(/(?<=run: npm run |^ +npm run )[\w-]+/gm) ?? [];
  expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
  const files = text.match(/(?<=sh |")infra\/[\w/-]+\.\w+/g) ?? [];
  expect(files.filter((path) => !existsSync(path))).toEqual([]);
});

test("Only jobs that log in, sign or publish may do so", () => {
  const rights = [ci, deploy, nightly, whatIf].flatMap((workflow) => [
    workflow?.permissions,
    ...Object.entries(workflow?.jobs ?? {}).flatMap(([name, { permissions }]) =>
      permissions ? [{ job: name, ...permissions }] : [],
    ),
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

test("CI publishes a package only if the checks and nightly pass, and the compiler agrees with the snapshots", () => {
  const { if: when, needs } = jobOf(ci, "release");
  expect([when, needs]).toEqual([
    "startsWith(github.ref, 'refs/tags/v')",
    ["check", "infrastructure", "attest"],
  ]);
  const nightlyOfCommit = '--workflow nightly.yml --commit \\"$GITHUB_SHA\\" --status success';
  expectOrder(jobOf(ci, "release"), nightlyOfCommit, "exit 1", "gh release create");
  const version = 'test \\"$GITHUB_REF_NAME\\" = ';
  expectOrder(jobOf(ci, "check"), "npm run check", version, "npm run package", "upload-artifact");
  const compare = ["bicep-version.txt", "npm run snapshots", "git add --all", "--exit-code infra/snapshots"];
  expectOrder(jobOf(ci, "infrastructure"), ...compare, "deploy.sh validate", "shellcheck");
});

test("A deployment from main or a tag releases the package that was approved, after provisioning", () => {
  expect(choose.if).toBe("github.ref == 'refs/heads/main' || startsWith(github.ref, 'refs/tags/v')");
  const environments = [choose, provision, release].map(({ environment }) => environment);
  const chosen = "${{ inputs.environment }}";
  expect(environments).toEqual([undefined, chosen, chosen]);
  expect([provision.needs, release.needs]).toEqual([["choose"], ["choose", "provision"]]);
  for (const part of [
    "choose.result == 'success'",
    "provision.result != 'failure'",
    "provision.result != 'cancelled'",
  ])
    expect(release.if).toContain(`needs.${part}`);
  const newest = "--workflow ci.yml --branch main --event push --status success";
  expectOrder(choose, newest, "sha256sum --check", "checksum=$checksum");
  expect(texts[1]).toContain("group: deploy-${{ inputs.environment }}\n  cancel-in-progress: false");
  expectOrder(release, "$CHECKSUM  dist/vmr-gateway.zip", "azure/login", "deploy.sh release");
  expect(commandsOf(release)).not.toMatch(/npm |esbuild/);
});

test("Production takes only packages that another environment has run, by a workflow of main or a tag", () => {
  expectOrder(choose, "name=ran-$CHECKSUM", "exit 1", "startsWith(inputs.environment, 'production')");
  const outside = "${{ !startsWith(inputs.environment, 'production') }}";
  expectOrder(release, "deploy.sh release", outside, "ran-${{ needs.choose.outputs.checksum }}");
  expect(release.steps.slice(-2).map((step) => step["if"])).toEqual([outside, outside]);
  const ofRepository = "select(.head_repository_id == .repository_id)";
  const ofReviewed = 'select(.head_branch == "main" or (.head_branch | startswith("v")))';
  for (const condition of ["select(.expired | not)", ofRepository, ofReviewed])
    expect(commandsOf(choose)).toContain(condition);
});

test("A release is deployed only if CI has built it, where GitHub signs releases", () => {
  const verify = choose.steps.find(({ run }) => run.includes("gh attestation verify dist/vmr-gateway.zip"));
  const offered = JSON.stringify(jobOf(ci, "attest")).match(
    /!github\.event\.repository\.private \|\| [\w.]+ == '\w+'/,
  )?.[0];
  expect(verify?.["if"]).toBe(`inputs.package != '' && (${offered})`);
  expect(verify?.run).toContain('--repo "$GH_REPO" --signer-workflow "$GH_REPO/.github/workflows/ci.yml"');
});

test("The provision of a deployment fails if its script fails", () => {
  expect(commandsOf(provision)).toMatch(/deploy\.sh provision .* \| tee --append "\$GITHUB_STEP_SUMMARY"/);
  // Only this shell has pipefail.
  expect(provision.steps.at(-1)).toMatchObject({ shell: "bash" });
});

test("what-if.yml reads variables of the repository, as it has no environment, and deploys nothing", () => {
  const job = jobOf(whatIf, "what-if");
  expect([job.environment, job.if]).toEqual([undefined, expect.stringContaining("== github.repository")]);
  const names = JSON.stringify(job).match(/(?<=vars\.)AZURE_\w+/g) ?? [];
  const expected = ["CLIENT", "TENANT", "SUBSCRIPTION"].map((part) => `AZURE_WHAT_IF_${part}_ID`);
  expect(new Set(names)).toEqual(new Set([...expected, "AZURE_WHAT_IF_ENVIRONMENT"]));
  expect(commandsOf(job).match(/deploy\.sh [\w-]+/g)).toEqual(["deploy.sh what-if"]);
});
