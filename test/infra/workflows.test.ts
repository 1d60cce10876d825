/** The workflows: triggers, permissions, deployed packages, and the order of jobs. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };

interface Step {
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}
interface Job extends Pick<Step, "if" | "env"> {
  readonly environment?: string;
  readonly needs?: readonly string[];
  readonly permissions?: object;
  readonly "runs-on": string;
  readonly steps: readonly Step[];
}
interface Workflow extends Required<Pick<Job, "permissions">> {
  readonly on: unknown;
  readonly concurrency?: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(".github", "workflows");
const files = readdirSync(folder).toSorted();
const textOf = (file: string): string => readFileSync(join(folder, file), "utf8");
const read = (file: string): Workflow => parse(textOf(file));
const [ci, deploy, nightly, whatIf] = [
  read("ci.yml"),
  read("deploy.yml"),
  read("nightly.yml"),
  read("what-if.yml"),
];
const commandsOf = (steps: readonly Step[] = []) => steps.map(({ run }) => run ?? "").join("\n");

describe.each(files)("%s", (file) => {
  const { jobs } = read(file);
  const steps = Object.values(jobs).flatMap((job) => job.steps);

  test("Calls only npm scripts and files that exist", () => {
    const commands = commandsOf(steps);
    const called = [...commands.matchAll(/npm run ([\w:-]+)/g)].map(([, name]) => name ?? "");
    expect(called.filter((name) => !(name in manifest.scripts))).toEqual([]);
    const paths = [...commands.matchAll(/infra\/[\w./-]+\.(?:sh|bicep|bicepparam)\b/g)].map(([path]) => path);
    expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  });

  test("Pins each action by its full commit, in one version everywhere, and leaves no credentials behind", () => {
    const actions = steps.filter(({ uses }) => uses !== undefined);
    const pinned = textOf(file).match(/uses: [\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm) ?? [];
    expect(pinned).toHaveLength(actions.length);
    const all = files.flatMap((other) => textOf(other).match(/uses: .+@.+/g) ?? []);
    const versions = Map.groupBy(new Set(all), (line) => line.split("@")[0]);
    expect([...versions.values()].filter((lines) => lines.length > 1)).toEqual([]);
    const checkouts = steps.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
    expect(checkouts.filter((step) => step.with?.["persist-credentials"] !== false)).toEqual([]);
  });
});

test("Each job has only the permissions that it needs", () => {
  const permissions = [ci, deploy, nightly, whatIf].map(({ permissions: all, jobs }) => [
    all,
    Object.fromEntries(
      Object.entries(jobs).flatMap(([name, job]) => (job.permissions ? [[name, job.permissions]] : [])),
    ),
  ]);
  const logIn = { contents: "read", "id-token": "write" };
  expect(permissions).toEqual([
    [
      { contents: "read" },
      {
        codeql: { contents: "read", "security-events": "write" },
        attest: { attestations: "write", "id-token": "write" },
        release: { contents: "write" },
      },
    ],
    [
      { contents: "read", actions: "read" },
      { provision: logIn, release: logIn },
    ],
    [{ contents: "read" }, {}],
    [logIn, {}],
  ]);
});

describe("ci.yml", () => {
  test("Compiles and lints the Bicep files with the values of every environment, and checks the scripts", () => {
    const commands = commandsOf(ci.jobs["infrastructure"]?.steps);
    expect(commands).toContain("az bicep lint --file infra/main.bicep");
    expect(commands).toContain("for values in infra/environments/*.env; do");
    expect(commands).toContain("az bicep build-params --file infra/main.bicepparam");
    expect(commands).toContain("shellcheck infra/*.sh");
  });

  test("Keeps the package of a tag, with its checksum, only if all checks passed and the tag is the version", () => {
    const { check, release, attest } = ci.jobs;
    expect(release).toMatchObject({
      if: "startsWith(github.ref, 'refs/tags/v')",
      needs: ["check", "infrastructure", "attest"],
    });
    expect(attest).toMatchObject({ if: "startsWith(github.ref, 'refs/tags/v')", needs: ["check"] });
    expect(commandsOf(check?.steps)).toContain('test "$GITHUB_REF_NAME" = "v$(node --print');
    const upload = check?.steps.find(({ uses }) => uses?.includes("upload-artifact"));
    expect(upload?.with?.["path"]).toBe(
      "dist/vmr-gateway.zip\ndist/vmr-gateway.zip.sha256\ndist/vmr-gateway.cdx.json\n",
    );
    expect(commandsOf(release?.steps)).toContain("dist/vmr-gateway.zip dist/vmr-gateway.zip.sha256");
    const building = Object.entries(ci.jobs).filter(([, { steps }]) =>
      steps.some(({ run }) => run === "npm run package"),
    );
    expect(building.map(([name]) => name)).toEqual(["check"]);
  });

  test.each(["codeql", "dependency-review", "attest"])(
    "Skips %s with a notice where it is not offered",
    (name) => {
      const job = ci.jobs[name];
      expect(job?.env?.["IS_OFFERED"]).toMatch(
        /^\$\{\{ !github.event.repository.private \|\| vars\.\w+ == 'true' \}\}$/,
      );
      const [notice, ...steps] = job?.steps ?? [];
      expect(notice).toMatchObject({
        if: "env.IS_OFFERED != 'true'",
        run: expect.stringContaining("::notice::"),
      });
      expect(steps.length).toBeGreaterThan(0);
      for (const step of steps) expect(step.if).toBe("env.IS_OFFERED == 'true'");
    },
  );
});

describe("deploy.yml", () => {
  const { choose, provision, release } = deploy.jobs;

  test("Is started by hand for any environment, from main or a tag only, one at a time", () => {
    expect(deploy.on).toMatchObject({
      workflow_dispatch: { inputs: { environment: { type: "environment", required: true } } },
    });
    expect(choose?.if).toBe("github.ref == 'refs/heads/main' || startsWith(github.ref, 'refs/tags/v')");
    expect(deploy.concurrency).toEqual({
      group: "deploy-${{ inputs.environment }}",
      "cancel-in-progress": false,
    });
  });

  test("Fixes the package before a reviewer approves it, and deploys that one", () => {
    expect(choose?.environment).toBeUndefined();
    for (const job of [provision, release]) expect(job?.environment).toBe("${{ inputs.environment }}");
    expect(provision?.needs).toEqual(["choose"]);
    expect(release?.needs).toEqual(["choose", "provision"]);
    expect(release?.if).toContain("needs.choose.result == 'success'");
    expect(release?.if).toContain("needs.provision.result != 'failure'");
    const commands = commandsOf(choose?.steps);
    expect(commands).toContain('gh release download "$PACKAGE"');
    expect(commands).toContain("--workflow ci.yml --branch main --event push --status success");
    expect(commands).toContain("sha256sum --check vmr-gateway.zip.sha256");
    expect(release?.env?.["CHECKSUM"]).toBe("${{ needs.choose.outputs.checksum }}");
    const order = ["sha256sum --check", "sh infra/deploy.sh release"].map((text) =>
      (release?.steps ?? []).findIndex(({ run }) => run?.includes(text)),
    );
    expect(order).toEqual([2, 4]);
    expect(commandsOf([...(choose?.steps ?? []), ...(release?.steps ?? [])])).not.toMatch(/npm |esbuild/);
  });

  test("Deploys to production only packages that test has run", () => {
    const check = choose?.steps.find(
      ({ if: condition }) => condition === "startsWith(inputs.environment, 'production')",
    );
    expect(check?.run).toContain("artifacts?name=ran-in-test-$CHECKSUM");
    expect(check?.run).toContain("exit 1");
    const record = release?.steps.find(({ with: given }) =>
      String(given?.["name"]).startsWith("ran-in-test-"),
    );
    expect(record?.if).toBe("inputs.environment == 'test'");
    expect(record?.with?.["name"]).toBe("ran-in-test-${{ needs.choose.outputs.checksum }}");
    expect(release?.steps.indexOf(record ?? {})).toBeGreaterThan(
      release?.steps.findIndex(({ run }) => run?.includes("deploy.sh release")) ?? 99,
    );
  });

  test("Provisions only on request, on any runner, and releases on a runner that reaches the vault", () => {
    expect(provision?.if).toBe("inputs.provision");
    expect(provision?.["runs-on"]).toBe("ubuntu-24.04");
    expect(release?.["runs-on"]).toBe("${{ inputs.runner }}");
    const step = provision?.steps.find(({ run }) => run?.includes("deploy.sh provision"));
    expect(step?.env).toEqual({
      ENVIRONMENT: "${{ inputs.environment }}",
      FIRST_RUN: "${{ inputs.first-run }}",
    });
  });
});

test("nightly.yml runs every step each night, and by hand", () => {
  expect(nightly.on).toEqual({
    schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) }],
    workflow_dispatch: null,
  });
  expect(nightly.jobs["nightly"]?.steps.map(({ run }) => run)).toContain("npm run nightly");
});

test("what-if.yml compares with the test environment and deploys nothing", () => {
  const commands = commandsOf(whatIf.jobs["what-if"]?.steps);
  expect(commands).toContain("sh infra/deploy.sh what-if test");
  expect(commands).not.toMatch(/provision|release/);
  expect(whatIf.on).toEqual({ pull_request: { paths: ["infra/**", "openapi.json"] } });
  expect(whatIf.jobs["what-if"]?.if).toContain("head.repo.full_name == github.repository");
});
