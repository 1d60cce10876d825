/** The workflows: who may do what, which package is deployed, and in which order. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import manifest from "../../package.json" with { type: "json" };
import { expectInOrder, rulesIn } from "../support/infra/rules.ts";

const Rights = z.record(z.string(), z.string());
const Workflow = z.object({
  permissions: Rights,
  jobs: z.record(z.string(), z.object({ permissions: Rights.optional() })),
});
const names = ["ci", "deploy", "nightly", "what-if"];
const texts = names.map((name) => readFileSync(`.github/workflows/${name}.yml`, "utf8"));

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
  const workflows = texts.map((text) => Workflow.parse(parse(text)));
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

/** What the jobs of a workflow contain, in this order. */
const rules = `
ci infrastructure: predicts the snapshots again, and compiles the values of every environment
  npm run snapshots
  git diff --cached --exit-code infra/snapshots
  deploy.sh validate
ci release: publishes the package of a tag for which everything else, and nightly, has passed
  [check, infrastructure, attest]
  --workflow nightly.yml --commit "$GITHUB_SHA" --status success
  exit 1
deploy choose: takes the newest tested package of main, or of a release that CI has built
  github.ref == 'refs/heads/main' || startsWith(github.ref, 'refs/tags/v')
  --workflow ci.yml --branch main --event push --status success
  sha256sum --check
  inputs.package != '' && (!github.event.repository.private || vars.ATTESTATIONS == 'true')
  gh attestation verify dist/vmr-gateway.zip --repo "$GH_REPO" --signer-workflow "$GH_REPO/.github/workflows/ci.yml"
deploy choose: accepts for production what another environment has run, by a workflow of main or a tag of this repository
  startsWith(inputs.environment, 'production')
  name=ran-$CHECKSUM
  select(.head_repository_id == .repository_id)
  select(.head_branch == "main" or (.head_branch | startswith("v")))
  exit 1
deploy provision: waits for its approval, and fails if the script fails, because only this shell has pipefail
  environment: \${{ inputs.environment }}
  shell: bash
  deploy.sh provision "$ENVIRONMENT" | tee
deploy release: waits for its approval, deploys the package that was approved, and records it outside production
  [choose, provision]
  choose.result == 'success'
  provision.result != 'failure'
  provision.result != 'cancelled'
  environment: \${{ inputs.environment }}
  echo "$CHECKSUM  dist/vmr-gateway.zip" | sha256sum --check
  deploy.sh release
  if: \${{ !startsWith(inputs.environment, 'production') }}
  if: \${{ !startsWith(inputs.environment, 'production') }}
  ran-\${{ needs.choose.outputs.checksum }}
what-if what-if: runs for branches of this repository with the repository's variables, and deploys nothing
  vars.AZURE_WHAT_IF_CLIENT_ID != '' && github.event.pull_request.head.repo.full_name == github.repository
  deploy.sh what-if`;

test.each(rulesIn(rules))("%s", (title, parts) => {
  const [, workflow = "", job] = /^([\w-]+) ([\w-]+):/.exec(title) ?? [];
  const file = texts[names.indexOf(workflow)] ?? "";
  const ofJob = new RegExp(`^ {2}${job}:\n(?: {4}.*\n|\n)+`, "m").exec(file)?.[0] ?? "";
  expectInOrder(ofJob, parts);
});
