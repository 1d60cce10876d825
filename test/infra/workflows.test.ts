/** The workflows: who may do what, which package is deployed, and in which order. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import manifest from "../../package.json" with { type: "json" };

interface Step {
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Job {
  readonly if?: string;
  readonly environment?: string;
  readonly needs?: readonly string[];
  readonly permissions?: object;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = join(".github", "workflows");
const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
const read = (file: string): Workflow => parse(readFileSync(join(folder, file), "utf8"));
const workflows = ["ci.yml", "deploy.yml", "what-if.yml"].map(read);
const everyStep = workflows.flatMap(({ jobs }) => Object.values(jobs).flatMap(({ steps }) => steps));
const { choose, provision, release, complete } = read("deploy.yml").jobs;
const commandsOf = (job?: Job) => (job?.steps ?? []).map(({ run }) => run ?? "");
const indexOf = (job: Job | undefined, text: string) =>
  (job?.steps ?? []).findIndex((step) => JSON.stringify(step).includes(text));

test("Every step pins its action by commit, leaves no credentials behind, and calls what exists", () => {
  const actions = everyStep.filter(({ uses }) => uses !== undefined);
  const pins = texts.join("\n").match(/uses: [\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gm) ?? [];
  expect(pins).toHaveLength(actions.length);
  const checkouts = actions.filter(({ uses }) => uses?.startsWith("actions/checkout@"));
  for (const step of checkouts) expect(step.with?.["persist-credentials"]).toBe(false);
  const commands = everyStep.map(({ run }) => run ?? "").join("\n");
  const scripts = [...commands.matchAll(/npm run ([\w-]+)/g)].map(([, name = ""]) => name);
  expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
  const files = [...commands.matchAll(/infra\/[\w./-]+\.\w+/g)].map(([path]) => path);
  expect(files.filter((path) => !existsSync(path))).toEqual([]);
});

test("Only jobs that log in, sign or publish may do so", () => {
  const logIn = { contents: "read", "id-token": "write" };
  const permissions = workflows.map(({ permissions: all, jobs }) => [
    all,
    Object.fromEntries(
      Object.entries(jobs).flatMap(([name, job]) => (job.permissions ? [[name, job.permissions]] : [])),
    ),
  ]);
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
      { provision: logIn, release: logIn, complete: logIn },
    ],
    [logIn, {}],
  ]);
});

test("CI publishes a package only if the checks and the snapshots of the compiler agree", () => {
  const { infrastructure, release: publish } = read("ci.yml").jobs;
  expect(publish).toMatchObject({
    if: "startsWith(github.ref, 'refs/tags/v')",
    needs: ["check", "infrastructure", "attest"],
  });
  const commands = commandsOf(infrastructure).join("\n");
  const order = [
    "bicep-version.txt",
    "npm run snapshots",
    "git diff --cached --exit-code infra/snapshots",
    "deploy.sh validate",
    "shellcheck",
  ];
  expect(order.map((text) => commands.indexOf(text)).toSorted((one, other) => one - other)).toEqual(
    order.map((text) => commands.indexOf(text)),
  );
});

test("A deployment from main or a tag releases the package that was approved, after provisioning", () => {
  expect(choose?.if).toBe("github.ref == 'refs/heads/main' || startsWith(github.ref, 'refs/tags/v')");
  expect(choose?.environment).toBeUndefined();
  for (const job of [provision, release, complete])
    expect(job?.environment).toBe("${{ inputs.environment }}");
  expect([provision?.needs, release?.needs]).toEqual([["choose"], ["choose", "provision"]]);
  for (const text of [
    "choose.result == 'success'",
    "provision.result != 'failure'",
    "provision.result != 'cancelled'",
  ])
    expect(release?.if).toContain(`needs.${text}`);
  const compare = indexOf(release, 'echo \\"$CHECKSUM  dist/vmr-gateway.zip\\" | sha256sum --check');
  expect(compare).toBeGreaterThan(0);
  expect(indexOf(release, "deploy.sh release")).toBeGreaterThan(compare);
  expect(commandsOf(release).join()).not.toMatch(/npm |esbuild/);
});

test("Production takes only packages that test has run, which is recorded after the release", () => {
  const refusal = choose?.steps.find(
    ({ if: when }) => when === "startsWith(inputs.environment, 'production')",
  );
  expect(refusal?.run).toMatch(/ran-in-test-\$CHECKSUM[\s\S]*exit 1/);
  const record = release?.steps.at(-1);
  expect(record?.if).toBe("inputs.environment == 'test'");
  expect(record?.with?.["name"]).toBe("ran-in-test-${{ needs.choose.outputs.checksum }}");
});

test("The first release is completed with the alerts, which nobody asks for", () => {
  expect(commandsOf(provision).at(-1)).toMatch(/deploy\.sh provision .*\| tee --append "\$GITHUB_OUTPUT"/);
  expect(provision?.steps.at(-1)).toMatchObject({ id: "provision", shell: "bash" });
  expect(provision).toMatchObject({ outputs: { "first-run": "${{ steps.provision.outputs.FIRST_RUN }}" } });
  expect(complete).toMatchObject({
    needs: ["provision", "release"],
    if: "needs.provision.outputs.first-run == 'true'",
  });
  expect(commandsOf(complete).at(-1)).toContain("deploy.sh provision");
});

test("what-if.yml reads variables of the repository, as it has no environment, and deploys nothing", () => {
  const job = read("what-if.yml").jobs["what-if"];
  expect(job?.environment).toBeUndefined();
  expect(job?.if).toContain("head.repo.full_name == github.repository");
  const names = [...JSON.stringify(job).matchAll(/vars\.(\w+)/g)].map(([, name]) => name);
  expect(new Set(names)).toEqual(
    new Set(["CLIENT", "TENANT", "SUBSCRIPTION"].map((part) => `AZURE_WHAT_IF_${part}_ID`)),
  );
  expect(commandsOf(job).join()).toContain("sh infra/deploy.sh what-if test");
  expect(commandsOf(job).join()).not.toMatch(/deploy\.sh (?:provision|release)/);
});
