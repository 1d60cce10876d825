/** The workflows parse, pin their actions, and call only scripts, files and environments that exist. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const Workflow = z.object({
  name: z.string(),
  permissions: z.record(z.string(), z.string()),
  jobs: z.record(
    z.string(),
    z.object({
      "timeout-minutes": z.number(),
      steps: z.array(z.object({ uses: z.string().optional(), run: z.string().optional() })),
    }),
  ),
});

const Package = z.object({ scripts: z.record(z.string(), z.string()) });
const { scripts } = Package.parse(JSON.parse(readFileSync("package.json", "utf8")));
const folder = join(".github", "workflows");
const workflows = readdirSync(folder);

it("there is one workflow that checks and one that deploys", () => {
  expect(workflows.toSorted()).toEqual(["ci.yml", "deploy.yml"]);
});

describe.each(workflows)("%s", (file) => {
  const text = readFileSync(join(folder, file), "utf8");
  const { jobs, permissions } = Workflow.parse(parse(text));
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const commands = steps.map(({ run }) => run ?? "").join("\n");

  it("calls only npm scripts that exist", () => {
    const called = [...commands.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? "");
    expect(called.length).toBeGreaterThan(0);
    expect(called.filter((name) => !(name in scripts))).toEqual([]);
  });

  it("pins each action by its full commit, with the version in a comment", () => {
    const actions = steps.filter(({ uses }) => uses !== undefined);
    const pinned = text.match(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm) ?? [];
    expect(actions.length).toBeGreaterThan(0);
    expect(pinned).toHaveLength(actions.length);
  });

  it("asks for no permission that it does not need", () => {
    const needed = file === "deploy.yml" ? { contents: "read", "id-token": "write" } : { contents: "read" };
    expect(permissions).toEqual(needed);
  });

  it("names only files of the infrastructure that exist", () => {
    const paths = [...commands.matchAll(/infra\/[\w./$-]+\.\w+/g)].map(([path]) => path);
    const filled = paths.flatMap((path) =>
      ["development", "test", "production"].map((group) => path.replace("$ENVIRONMENT", group)),
    );
    expect(filled.filter((path) => !existsSync(path))).toEqual([]);
  });
});

const Deploy = z.object({
  on: z.object({
    workflow_dispatch: z.object({
      inputs: z.object({ environment: z.object({ options: z.array(z.string()) }) }),
    }),
  }),
});

it("there is an environment to deploy for each parameter file, and the other way round", () => {
  const { on } = Deploy.parse(parse(readFileSync(join(folder, "deploy.yml"), "utf8")));
  const files = readdirSync(join("infra", "environments")).map((name) => name.replace(".bicepparam", ""));
  expect(on.workflow_dispatch.inputs.environment.options.toSorted()).toEqual(files.toSorted());
});

it("what the deployment reads from the template are outputs that it has", () => {
  const outputs = [...readFileSync(join("infra", "main.bicep"), "utf8").matchAll(/^output (\w+)/gm)].map(
    ([, name]) => name,
  );
  const read = [
    ...readFileSync(join(folder, "deploy.yml"), "utf8").matchAll(/provision\.outputs\.(\w+)/g),
  ].map(([, name]) => name);
  expect(read.length).toBeGreaterThan(0);
  expect(read.filter((name) => !outputs.includes(name))).toEqual([]);
});

it("updates come once a week and in groups", () => {
  const Dependabot = z.object({
    updates: z.array(
      z.object({
        schedule: z.object({ interval: z.literal("weekly") }),
        groups: z.record(z.string(), z.unknown()),
      }),
    ),
  });
  expect(
    Dependabot.parse(parse(readFileSync(join(".github", "dependabot.yml"), "utf8"))).updates,
  ).toHaveLength(2);
});

it("azure.yaml builds with a script that exists and runs hooks that exist", () => {
  const text = readFileSync("azure.yaml", "utf8");
  expect([...text.matchAll(/npm run (\w+)/g)].filter(([, name]) => !((name ?? "") in scripts))).toEqual([]);
  const hooks = [...text.matchAll(/run: (\.\/\S+)/g)].map(([, path]) => path ?? "");
  expect(hooks.length).toBeGreaterThan(0);
  expect(hooks.filter((path) => !existsSync(path))).toEqual([]);
});
