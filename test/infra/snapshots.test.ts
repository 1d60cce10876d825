/** The snapshots belong to the templates, and what the templates share with documents and code is the same. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSettingsList } from "../../scripts/package/settings-list.ts";
import { hashInputs, readText as read, snapshotFolder } from "../../scripts/snapshots/inputs.ts";
import { tableBelow, unquoted } from "../support/markdown-table.ts";

test("The snapshots are as new as the templates and fixtures", () => {
  const written = read(join(snapshotFolder, "inputs.sha256")).trim();
  expect(written, "run `npm run snapshots`, and read what changes in infra/snapshots").toBe(hashInputs());
});

test("`infra/settings.txt` lists the settings of the app", async () => {
  expect(read("infra/settings.txt"), "run `npm run openapi`").toBe(await createSettingsList());
});

test("The table of secrets contains exactly those of the app", () => {
  const documented = tableBelow(read("infra/README.md"), "## Secrets").map(([name = ""]) => unquoted(name));
  const ofApp = read("infra/settings.txt").match(/^\w+(?= \w+ vault)/gm);
  expect(documented.map((name) => name.replaceAll("-", "_")).toSorted()).toEqual(ofApp?.toSorted());
});

test("The table of values contains exactly the variables that the templates and scripts read", () => {
  const rows = tableBelow(read("infra/README.md"), "## Values");
  const documented = rows.flatMap(([names = ""]) => names.match(/(?<=`)[A-Z_]+(?=`)/g) ?? []);
  const used = read("infra/main.bicepparam").match(/(?<=readEnvironmentVariable\(')[A-Z_]+/g) ?? [];
  const ofScripts = ["AZURE_SUBSCRIPTION_ID", "AZURE_RESOURCE_GROUP"];
  expect(new Set(documented)).toEqual(new Set([...used, ...ofScripts]));
});

test("The table of values states the defaults of the templates", () => {
  const reads = read("infra/main.bicepparam").matchAll(/readEnvironmentVariable\('([A-Z_]+)'(?:, '(.*?)')?/g);
  const defaults = new Map([...reads].map(([, name, value]) => [name, value] as const));
  const stated = tableBelow(read("infra/README.md"), "## Values").flatMap(([names = "", values = ""]) =>
    values.split(", ").flatMap((value, index) => {
      const [, code, number] = /^(?:`(.+)`|(\d+))$/.exec(value) ?? [];
      return code || number ? [[unquoted(names).split(", ")[index], code ?? number] as const] : [];
    }),
  );
  expect(stated.length).toBeGreaterThan(15);
  expect(stated).toEqual(stated.map(([name]) => [name, defaults.get(name)]));
});

test("The templates for a subscription and for a group have the same parameters", () => {
  const parameters = (file: string) => read(file).match(/^param .*$/gm);
  expect(parameters("infra/main.bicep")).toEqual(parameters("infra/gateway.bicep"));
});

/** The order in which Azure writes, which no snapshot shows. API Management refuses concurrent writes to one API. */
test.each([
  { file: "api-management.bicep", symbol: "api", part: "dependsOn: [newService]" },
  { file: "api-management.bicep", symbol: "logger", part: "dependsOn: [newService]" },
  { file: "api-management.bicep", symbol: "logging", part: "dependsOn: [healthHead]" },
  { file: "api-management.bicep", symbol: "apiPolicy", part: "dependsOn: [logging]" },
  { file: "api-management.bicep", symbol: "privateOperationPolicy", part: "@batchSize(1)" },
  { file: "api-management.bicep", symbol: "privateOperationPolicy", part: "dependsOn: [apiPolicy]" },
  { file: "api-management.bicep", symbol: "publicOperationPolicy", part: "@batchSize(1)" },
  {
    file: "api-management.bicep",
    symbol: "publicOperationPolicy",
    part: "dependsOn: [privateOperationPolicy]",
  },
  { file: "private-dns.bicep", symbol: "links", part: "dependsOn: [newZones]" },
  { file: "gateway.bicep", symbol: "privateEndpoints", part: "@batchSize(1)" },
  { file: "gateway.bicep", symbol: "zoneGroups", part: "dependsOn: [zones]" },
])("In $file, the resource $symbol has $part", ({ file, symbol, part }) => {
  const block = new RegExp(`^(?:@.*\\n)?resource ${symbol} [\\s\\S]*?^\\}`, "m").exec(read(`infra/${file}`));
  expect(block?.[0]).toContain(part);
});

test("Two environments in one group have no deployment in common", () => {
  const deployments = read("infra/gateway.bicep").match(/(?<=^module .*\n {2}name: ).*/gm) ?? [];
  expect(deployments).toHaveLength(6);
  for (const name of deployments) expect(name).toMatch(/^'vmr-gateway-\$\{environmentName\}-/);
});
