/** The snapshots belong to the templates, and what the templates share with documents and code is the same. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSettingsList } from "../../tools/scripts/package/settings-list.ts";
import { hashInputs, snapshotFolder } from "../../tools/scripts/snapshots/inputs.ts";
import type { Entry } from "../../tools/scripts/snapshots/order.ts";
import { readJson, snapshots } from "../support/infra/snapshots.ts";
import { tableBelow } from "../support/markdown-table.ts";

const read = (file: string) => readFileSync(file, "utf8").replaceAll("\r\n", "\n");

test("The snapshots are as new as the templates and fixtures", () => {
  const written = read(join(snapshotFolder, "inputs.sha256")).trim();
  expect(written, "run `npm run snapshots`, and read what changes in infra/snapshots").toBe(hashInputs());
});

test("infra/settings.txt lists the settings of the app", async () => {
  expect(read("infra/settings.txt"), "run `npm run openapi`").toBe(await createSettingsList());
});

test("A setting can have only one source: the environment's values, the vault or the template", () => {
  const sources = new Map(
    read("infra/settings.txt")
      .trim()
      .split("\n")
      .map((line) => {
        const [name = "", , source = "values"] = line.split(" ");
        return [name, source];
      }),
  );
  expect(sources).toEqual(new Map([...sources, ["PLATFORM_URL", "values"], ["ROOM_HOST_PIN", "vault"]]));
  expect(sources.get("LOGS_INGESTION_ENDPOINT")).toBe("template");
  expect(sources.get("AzureWebJobsStorage")).toBe("template");
});

test("Every environment variable that the templates and scripts read has a row, and no other", () => {
  const rows = tableBelow(read("infra/README.md"), "## Values").rows;
  const documented = rows.flatMap(([names = ""]) =>
    [...names.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name),
  );
  const used = [...read("infra/main.bicepparam").matchAll(/readEnvironmentVariable\('([A-Z_]+)'/g)].map(
    ([, name]) => name ?? "",
  );
  // The script sets the first, azd the second.
  const internal = ["FIRST_RUN", "AZURE_PRINCIPAL_ID"];
  expect(new Set(documented)).toEqual(
    new Set([
      ...used.filter((name) => !internal.includes(name)),
      "AZURE_SUBSCRIPTION_ID",
      "AZURE_RESOURCE_GROUP",
    ]),
  );
});

test("The templates for a subscription and for a group have the same parameters", () => {
  const parameters = (file: string) => read(file).match(/^param .*$/gm);
  expect(parameters("infra/main.bicep")).toEqual(parameters("infra/gateway.bicep"));
});

test("API Management gets one write after another to one API, and the secret before its policy", () => {
  const order = readJson("order") as readonly Entry[];
  const entries = order.filter(({ module }) => module === "gatewayApi");
  const dependenciesOf = (symbol: string): string[] =>
    entries
      .filter((entry) => entry.symbol === symbol)
      .flatMap(({ dependsOn }) => [...dependsOn, ...dependsOn.flatMap(dependenciesOf)]);
  const writes = [
    "api",
    "healthHead",
    "logging",
    "apiPolicy",
    "privateOperationPolicy",
    "publicOperationPolicy",
  ];
  for (const [index, write] of writes.entries())
    expect(dependenciesOf(write)).toEqual(expect.arrayContaining(writes.slice(0, index)));
  // Nothing else is written to the API.
  const others = ["newService", "gatewayLogs", "logger", "secret"];
  expect(entries.map(({ symbol }) => symbol).toSorted()).toEqual([...writes, ...others].toSorted());
  const loops = entries.filter(({ copyMode }) => copyMode !== undefined);
  for (const { copyMode, batchSize } of loops) expect([copyMode, batchSize]).toEqual(["serial", 1]);
  expect(dependenciesOf("apiPolicy")).toContain("secret");
  for (const symbol of ["api", "logger", "secret", "gatewayLogs"])
    expect(dependenciesOf(symbol)).toContain("newService");
  const needs = (module: string, symbol: string) =>
    order.find((entry) => entry.module === module && entry.symbol === symbol)?.dependsOn;
  expect(needs("zones", "links")).toEqual(["newZones"]);
  expect(needs("gateway", "zoneGroups")).toContain("zones");
  expect(needs("gateway", "gatewayApi")).toEqual(expect.arrayContaining(["app", "data"]));
  expect(needs("gateway", "app")).toContain("data");
});

test("Every resource and module of two environments in one group has a name of its own", () => {
  const modules = [...read("infra/gateway.bicep").matchAll(/^module .*\n {2}name: (.*)$/gm)].map(
    ([, name]) => name,
  );
  expect(modules).toHaveLength(6);
  for (const name of modules) expect(name).toMatch(/^'vmr-gateway-\$\{environmentName\}-/);
  const unnamed =
    /\/(default|appsettings|ftp|scm|policy|audit|azuremonitor|gateway-logs|secret-expiring)$|\/providers\/Microsoft.(Authorization|Insights\/workbooks)/;
  for (const [scenario, { resources }] of snapshots) {
    const [group = ""] = resources.map(({ id }) => id.split("/providers/")[0] ?? "");
    const unique = resources
      .map(({ id }) => /\/kv-vmr-(\w+)$/.exec(id)?.[1])
      .find((hash) => hash !== undefined);
    const name = scenario === "first-run" ? "test" : scenario;
    const shared = resources.filter(
      ({ id, type }) =>
        id.startsWith(`${group}/`) &&
        !unnamed.test(id) &&
        !id.includes(`-${name}`) &&
        !id.includes(unique ?? "?") &&
        type !== "Microsoft.Network/privateDnsZones",
    );
    expect([scenario, shared.map(({ id }) => id)]).toEqual([scenario, []]);
  }
  const hashes = [...snapshots.values()].flatMap(({ resources }) =>
    resources.flatMap(({ id }) => /\/kv-vmr-(\w+)$/.exec(id)?.[1] ?? []),
  );
  expect(new Set(hashes).size).toBe(snapshots.size - 1);
});
