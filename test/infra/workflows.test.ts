/** The workflows: what starts them, what they may do, which package they deploy, and what comes before and after. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import manifest from "../../package.json" with { type: "json" };
import { environmentNames, environments } from "../support/infra/environments.ts";

const Step = z.object({
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
});
const Workflow = z.object({
  name: z.string(),
  on: z.unknown(),
  permissions: z.record(z.string(), z.string()),
  concurrency: z.object({ group: z.string(), "cancel-in-progress": z.boolean() }).optional(),
  jobs: z.record(
    z.string(),
    z.object({
      if: z.string().optional(),
      environment: z.string().optional(),
      needs: z.array(z.string()).optional(),
      permissions: z.record(z.string(), z.string()).optional(),
      "timeout-minutes": z.number(),
      steps: z.array(Step),
    }),
  ),
});

const folder = join(".github", "workflows");
const textOf = (file: string): string => readFileSync(join(folder, file), "utf8");
const read = (file: string) => Workflow.parse(parse(textOf(file)));
const files = readdirSync(folder).toSorted();

it("There is a workflow that checks, one that asks what would change, and one that deploys", () => {
  expect(files).toEqual(["ci.yml", "deploy.yml", "what-if.yml"]);
});

describe.each(files)("%s", (file) => {
  const { jobs, permissions } = read(file);
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const commands = steps.map(({ run }) => run ?? "").join("\n");

  it("Calls only npm scripts and files that exist", () => {
    const called = [...commands.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? "");
    expect(called.filter((name) => !(name in manifest.scripts))).toEqual([]);
    const paths = [...commands.matchAll(/(?<!\w)(?:\.\/)?infra\/[\w./$-]+\.\w+/g)].flatMap(([path]) =>
      environmentNames.map((name) => path.replace(/\$(ENVIRONMENT|environment)/, name)),
    );
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  it("Pins each action by its full commit, with the version in a comment", () => {
    const actions = steps.filter(({ uses }) => uses !== undefined);
    const pinned = textOf(file).match(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm) ?? [];
    expect(pinned).toHaveLength(actions.length);
  });

  it("Uses the same version of an action as the other workflows", () => {
    const all = files.flatMap((other) => textOf(other).match(/uses: .+@.+/g) ?? []);
    const versions = Map.groupBy(new Set(all), (line) => line.split("@")[0]);
    expect([...versions.values()].filter((lines) => lines.length > 1)).toEqual([]);
  });

  it("May do no more than it needs", () => {
    const needed = {
      "ci.yml": { contents: "read" },
      "deploy.yml": { contents: "read", actions: "read", "id-token": "write" },
      "what-if.yml": { contents: "read", "id-token": "write" },
    }[file];
    expect(permissions).toEqual(needed);
    const ofJobs = Object.entries(jobs).flatMap(([job, { permissions: own }]) => (own ? [[job, own]] : []));
    expect(ofJobs).toEqual(file === "ci.yml" ? [["release", { contents: "write" }]] : []);
  });

  it("Leaves no credentials of the repository behind", () => {
    const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(checkouts.filter((step) => step.with?.["persist-credentials"] !== false)).toEqual([]);
  });
});

describe("ci.yml", () => {
  const { jobs } = read("ci.yml");

  it("Compiles the Bicep files with every parameter file", () => {
    const commands = jobs["infrastructure"]?.steps.map(({ run }) => run ?? "").join("\n") ?? "";
    expect(commands).toContain("az bicep build --file infra/main.bicep");
    expect(commands).toContain(`for environment in ${environmentNames.join(" ")}; do`);
    expect(commands).toContain('az bicep build-params --file "infra/environments/$environment.bicepparam"');
  });

  it("Keeps the package of a tag as a release only if all checks passed", () => {
    expect(jobs["release"]).toMatchObject({
      if: "startsWith(github.ref, 'refs/tags/v')",
      needs: ["check", "infrastructure"],
    });
    const upload = jobs["check"]?.steps.find(({ uses }) => uses?.includes("upload-artifact"));
    const download = jobs["release"]?.steps.find(({ uses }) => uses?.includes("download-artifact"));
    expect(download?.with?.["name"]).toBe(upload?.with?.["name"]);
    const built = Object.values(jobs).filter(({ steps }) =>
      steps.some(({ run }) => run === "npm run package"),
    );
    expect(built).toEqual([jobs["check"]]);
  });
});

describe("deploy.yml", () => {
  const { on, jobs, concurrency } = read("deploy.yml");
  const job = jobs["deploy"];
  const steps = job?.steps ?? [];
  const indexOf = (text: string): number => steps.findIndex(({ run }) => run?.includes(text));

  it("Is started by hand, for the environments that have parameters", () => {
    expect(on).toEqual({
      workflow_dispatch: {
        inputs: {
          environment: expect.objectContaining({ options: [...environmentNames], required: true }),
          package: expect.objectContaining({ default: "" }),
          provision: expect.objectContaining({ type: "boolean", default: true }),
          runner: expect.objectContaining({ default: "ubuntu-24.04" }),
        },
      },
    });
    const parameterFiles = readdirSync("infra/environments").map((name) => name.replace(".bicepparam", ""));
    expect(parameterFiles.toSorted()).toEqual([...environmentNames].toSorted());
  });

  it("Runs from main or a tag only, in the GitHub environment with its reviewers, one at a time", () => {
    expect(job?.if).toBe("github.ref == 'refs/heads/main' || startsWith(github.ref, 'refs/tags/v')");
    expect(job?.environment).toBe("${{ inputs.environment }}");
    expect(concurrency).toEqual({ group: "deploy-${{ inputs.environment }}", "cancel-in-progress": false });
  });

  it("Deploys a package that CI has built and tested, and builds none", () => {
    const commands = steps.map(({ run }) => run ?? "").join("\n");
    expect(commands).not.toMatch(/npm |vite|esbuild/);
    expect(commands).toContain('gh release download "$PACKAGE" --pattern vmr-gateway.zip --dir dist');
    expect(commands).toContain("--workflow ci.yml --branch main --event push --status success");
    expect(commands).toContain("--src dist/vmr-gateway.zip");
  });

  it("Provisions only if that is asked for", () => {
    const provisioning = steps.filter(({ run }) => run?.includes("az deployment sub create"));
    expect(provisioning.map((step) => step.if)).toEqual(["inputs.provision"]);
  });

  it("Looks for secrets before the app is deployed, reads them again afterwards, and tests the result", () => {
    const order = [
      "az deployment sub create",
      "az deployment sub show",
      "ask-missing-secrets.sh < /dev/null",
      "config-zip",
      "refresh-settings.sh",
      "/room/list",
    ].map(indexOf);
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((one, other) => one - other));
  });

  it("Reads only outputs that the template has", () => {
    const commands = steps.map(({ run }) => run ?? "").join("\n");
    const hooks = ["ask-missing-secrets", "refresh-settings"].map((name) =>
      readFileSync(`infra/hooks/${name}.sh`, "utf8"),
    );
    const needed = [
      ...hooks.join("\n").matchAll(/: "\$\{(\w+):\?/g),
      ...commands.matchAll(/\$\{?(HEALTH_URL|FUNCTION_APP_NAME|AZURE_RESOURCE_GROUP)\b/g),
    ];
    const outputs = Object.keys(environments.test.outputs);
    expect(needed.length).toBeGreaterThan(6);
    expect(needed.map(([, name]) => name ?? "").filter((name) => !outputs.includes(name))).toEqual([]);
  });
});

it("what-if.yml asks about the test environment and deploys nothing", () => {
  const { jobs, on } = read("what-if.yml");
  const commands = jobs["what-if"]?.steps.map(({ run }) => run ?? "").join("\n") ?? "";
  expect(commands).toContain("az deployment sub what-if");
  expect(commands).not.toContain("sub create");
  expect(on).toEqual({ pull_request: { paths: ["infra/**", "openapi.json"] } });
  expect(jobs["what-if"]?.if).toContain("head.repo.full_name == github.repository");
});

it("Updates come once a week and in groups", () => {
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
