/** The workflows: who may do what, and that what they call exists. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import manifest from "../../package.json" with { type: "json" };

const Rights = z.record(z.string(), z.string());
const Workflow = z.object({
  permissions: Rights,
  jobs: z.record(
    z.string(),
    z.looseObject({ permissions: Rights.optional(), needs: z.array(z.string()).optional() }),
  ),
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
  const files = text.match(/(?<=sh |")infra\/[\w/-]+\.\w+/g) ?? [];
  expect(files.filter((path) => !existsSync(path))).toEqual([]);
});

test("Only jobs that log in, sign or publish may do so", () => {
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

test("A release waits for every check, a deployment for its approval, and nothing is recorded after a failure", () => {
  const [ci, deploy] = workflows;
  expect(ci?.jobs["release"]?.needs).toEqual(["check", "infrastructure", "attest"]);
  const approval = { environment: "${{ inputs.environment }}" };
  expect(deploy?.jobs).toMatchObject({
    provision: { needs: ["choose"], ...approval },
    release: { needs: ["choose", "provision"], ...approval },
  });
  expect(texts.join("\n").match(/always\(\)/g)).toHaveLength(1);
});
