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

/** What the jobs of a workflow contain, in this order. */
const rules = `
ci check: packs what has passed the checks, with the version of its tag
  npm run check
  test "$GITHUB_REF_NAME" =
  npm run package
  actions/upload-artifact
ci infrastructure: predicts the snapshots again, and compiles the values of every environment
  bicep-version.txt
  npm run snapshots
  git diff --cached --exit-code infra/snapshots
  deploy.sh validate
  shellcheck
ci attest: signs a package where GitHub offers it
  !github.event.repository.private || vars.ATTESTATIONS == 'true'
  actions/attest-build-provenance
ci release: publishes the package of a tag for which everything else, and nightly, has passed
  startsWith(github.ref, 'refs/tags/v')
  [check, infrastructure, attest]
  --workflow nightly.yml --commit "$GITHUB_SHA" --status success
  exit 1
  gh release create
deploy choose: takes the newest tested package of main, or of a release that CI has built
  github.ref == 'refs/heads/main' || startsWith(github.ref, 'refs/tags/v')
  --workflow ci.yml --branch main --event push --status success
  sha256sum --check
  checksum=$checksum
  inputs.package != '' && (!github.event.repository.private || vars.ATTESTATIONS == 'true')
  gh attestation verify dist/vmr-gateway.zip --repo "$GH_REPO" --signer-workflow "$GH_REPO/.github/workflows/ci.yml"
deploy choose: accepts for production what another environment has run, by a workflow of main or a tag of this repository
  startsWith(inputs.environment, 'production')
  name=ran-$CHECKSUM
  select(.expired | not)
  select(.head_repository_id == .repository_id)
  select(.head_branch == "main" or (.head_branch | startswith("v")))
  exit 1
deploy provision: fails if the script fails, because only this shell has pipefail
  needs: [choose]
  shell: bash
  deploy.sh provision "$ENVIRONMENT" | tee
deploy release: deploys the package that was approved, and records it outside production
  [choose, provision]
  choose.result == 'success'
  provision.result != 'failure'
  provision.result != 'cancelled'
  echo "$CHECKSUM  dist/vmr-gateway.zip" | sha256sum --check
  azure/login
  deploy.sh release
  !startsWith(inputs.environment, 'production')
  !startsWith(inputs.environment, 'production')
  ran-\${{ needs.choose.outputs.checksum }}`;

const ruleRows = rules
  .trim()
  .split(/\n(?=\S)/)
  .map((rule) => rule.split("\n  "));
test.each(ruleRows)("%s", (title = "", ...parts) => {
  const [, workflow, job] = /^(\w+) (\w+):/.exec(title) ?? [];
  const file = texts[workflow === "ci" ? 0 : 1] ?? "";
  const text = new RegExp(`^ {2}${job}:\n(?: {4}.*\n|\n)+`, "m").exec(file)?.[0] ?? "";
  let place = -1;
  for (const part of parts) {
    place = text.indexOf(part, place + 1);
    expect([part, place === -1, text]).toEqual([part, false, text]);
  }
});

test("Each job that deploys waits for its approval, and for other deployments to the environment", () => {
  const environments = [choose, provision, release].map(({ environment }) => environment);
  expect(environments).toEqual([undefined, "${{ inputs.environment }}", "${{ inputs.environment }}"]);
  expect(texts[1]).toContain("group: deploy-${{ inputs.environment }}\n  cancel-in-progress: false");
  expect(commandsOf(release)).not.toMatch(/npm |esbuild/);
});

test("what-if.yml reads variables of the repository, as it has no environment, and deploys nothing", () => {
  const job = jobOf(whatIf, "what-if");
  expect([job.environment, job.if]).toEqual([undefined, expect.stringContaining("== github.repository")]);
  const names = JSON.stringify(job).match(/(?<=vars\.)AZURE_\w+/g) ?? [];
  const expected = ["CLIENT", "TENANT", "SUBSCRIPTION"].map((part) => `AZURE_WHAT_IF_${part}_ID`);
  expect(new Set(names)).toEqual(new Set([...expected, "AZURE_WHAT_IF_ENVIRONMENT"]));
  expect(commandsOf(job).match(/deploy\.sh [\w-]+/g)).toEqual(["deploy.sh what-if"]);
});
