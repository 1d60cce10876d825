/** The snapshots belong to the templates, and what the templates share with documents and code is the same. */
import { execFileSync } from "node:child_process";
import { appendFile, cp } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { createSettingsList } from "../../scripts/package/settings-list.ts";
import { hashInputs, readText as read, snapshotFolder } from "../../scripts/snapshots/inputs.ts";
import type { Entry } from "../../scripts/snapshots/order.ts";
import { readJson, snapshotOf } from "../support/infra/snapshots.ts";
import { tableBelow } from "../support/markdown-table.ts";
import { temporaryFolder } from "../support/script-process.ts";

test("The snapshots are as new as the templates and fixtures", () => {
  const written = read(join(snapshotFolder, "inputs.sha256")).trim();
  expect(written, "run `npm run snapshots`, and read what changes in infra/snapshots").toBe(hashInputs());
});

test("Each file that decides what is deployed makes the snapshots out of date when it changes", async () => {
  const folder = await temporaryFolder();
  for (const part of ["infra", "test/infra/fixtures"])
    await cp(part, join(folder, part), { recursive: true });
  const inputs = JSON.stringify(resolve("scripts/snapshots/inputs.ts"));
  const script = `import { hashInputs } from ${inputs}; console.log(hashInputs());`;
  const options = { cwd: folder, encoding: "utf8" } as const;
  const hash = () => execFileSync(process.execPath, ["--input-type=module", "--eval", script], options);
  const hashes = new Set([hash()]);
  const ofInfra = ["main.bicepparam", "data.bicep", "policies/cors.xml", "alerts/creates-failing.kql"];
  const files = [...ofInfra, "snapshots/bicep-version.txt"].map((file) => join("infra", file));
  for (const file of [...files, "test/infra/fixtures/production.env"]) {
    await appendFile(join(folder, file), "changed");
    hashes.add(hash());
  }
  expect(hashes.size).toBe(1 + files.length + 1);
});

test("infra/settings.txt lists the settings of the app", async () => {
  expect(read("infra/settings.txt"), "run `npm run openapi`").toBe(await createSettingsList());
});

test("The table of values contains exactly the variables that the templates and scripts read", () => {
  const rows = tableBelow(read("infra/README.md"), "## Values");
  const documented = rows.flatMap(([names = ""]) => names.match(/(?<=`)[A-Z_]+(?=`)/g) ?? []);
  const used = read("infra/main.bicepparam").match(/(?<=readEnvironmentVariable\(')[A-Z_]+/g) ?? [];
  const ofScripts = ["AZURE_SUBSCRIPTION_ID", "AZURE_RESOURCE_GROUP"];
  expect(new Set(documented)).toEqual(new Set([...used, ...ofScripts]));
});

test("The templates for a subscription and for a group have the same parameters", () => {
  const parameters = (file: string) => read(file).match(/^param .*$/gm);
  expect(parameters("infra/main.bicep")).toEqual(parameters("infra/gateway.bicep"));
});

test("API Management gets one write after another to one API", () => {
  const order = readJson("order") as readonly Entry[];
  const entries = order.filter(({ module }) => module === "gatewayApi");
  const needsOf = (symbol: string): string[] =>
    entries
      .filter((entry) => entry.symbol === symbol)
      .flatMap(({ dependsOn }) => [...dependsOn, ...dependsOn.flatMap(needsOf)]);
  const policies = ["apiPolicy", "privateOperationPolicy", "publicOperationPolicy"];
  const writes = ["api", "healthHead", "logging", ...policies];
  for (const [index, write] of writes.entries())
    expect(needsOf(write)).toEqual(expect.arrayContaining(writes.slice(0, index)));
  // Nothing else is written to the API.
  const others = ["newService", "gatewayLogs", "logger"];
  expect(new Set(entries.map(({ symbol }) => symbol))).toEqual(new Set([...writes, ...others]));
  const loops = entries.filter(({ copyMode }) => copyMode !== undefined);
  for (const { copyMode, batchSize } of loops) expect([copyMode, batchSize]).toEqual(["serial", 1]);
  for (const symbol of ["api", "logger"]) expect(needsOf(symbol)).toContain("newService");
  const needs = (symbol: string) => order.find((entry) => entry.symbol === symbol)?.dependsOn;
  expect(needs("links")).toEqual(["newZones"]);
  expect(needs("zoneGroups")).toContain("zones");
});

test("Two environments in one group have no resource and no deployment in common", () => {
  const deployments = read("infra/gateway.bicep").match(/(?<=^module .*\n {2}name: ).*/gm) ?? [];
  expect(deployments).toHaveLength(6);
  for (const name of deployments) expect(name).toMatch(/^'vmr-gateway-\$\{environmentName\}-/);
  const partsOf = (scenario: string) =>
    snapshotOf(scenario).resources.flatMap(
      ({ id }) => /\/rg-of-the-team\/providers(?:\/[\w.-]+){3}/.exec(id)?.[0] ?? [],
    );
  const common = partsOf("second").filter((name) => partsOf("existing").includes(name));
  expect(partsOf("second").length).toBeGreaterThan(20);
  expect(common).toEqual([]);
});
