/** The app settings of the infrastructure are the settings of the app, and the example values are acceptable ones. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Node } from "web-tree-sitter";
import { loadSettings } from "../../src/lib/settings/load-settings.ts";
import { settingNames } from "../../src/lib/settings/schemas.ts";
import { body, declarations, entries, infraFiles, parseBicep, unquoted } from "./bicep-source.ts";

/** Read by the Functions host or by an Azure library, not by the app. */
const hostOnly = [
  "APPLICATIONINSIGHTS_AUTHENTICATION_STRING",
  "APPLICATIONINSIGHTS_CONNECTION_STRING",
  "AZURE_CLIENT_ID",
  "AzureWebJobsStorage__tableServiceUri",
];

/** Other ways to name the storage account: a deployment names its services one by one and has no shared key. */
const notDeployed = ["AzureWebJobsStorage", "AzureWebJobsStorage__accountName"];

const module = parseBicep(join("infra", "modules", "app-settings.bicep"));
const objects = ["hostSettings", "gatewayDefaults", "fromInfrastructure", "secretReferences"];
const deployed = new Map(
  objects.flatMap((name) => [...entries(body(declarations(module, "variable").get(name)))]),
);

it("every setting of the app is an app setting, and every app setting is known", () => {
  const expected = settingNames.filter((name) => !notDeployed.includes(name)).concat(hostOnly);
  expect([...deployed.keys()].sort()).toEqual(expected.sort());
});

it("the type of the settings parameter offers exactly those that environments may differ in", () => {
  const type = declarations(parseBicep(join("infra", "main.bicep")), "type").get("gatewaySettings");
  const defaults = entries(body(declarations(module, "variable").get("gatewayDefaults")));
  expect([...entries(body(type)).keys()].sort()).toEqual([...defaults.keys()].sort());
});

it("each secret setting is a reference to the secret of the same name in the vault, and no other setting is", () => {
  const references = [...deployed].filter(([, node]) => node.text.includes("Microsoft.KeyVault"));
  for (const [name, node] of references) {
    expect(node.text).toContain(`secrets/${name.replaceAll("_", "-")})`);
  }
  expect(references.map(([name]) => name).sort()).toEqual([
    "EVENT_SINK_PASSWORD",
    "EVENT_SINK_PREVIOUS_PASSWORD",
    "PLATFORM_OAUTH_PRIVATE_KEY",
    "PLATFORM_PASSWORD",
    "ROOM_HOST_PIN",
  ]);
});

/** The value that an app setting gets: numbers and objects become text there. */
function settingText(node: Node): string {
  if (node.type !== "object") return unquoted(node);
  const fields = [...entries(node)].map(([name, value]) => [
    name,
    value.type === "number" ? Number(value.text) : unquoted(value),
  ]);
  return JSON.stringify(Object.fromEntries(fields));
}

describe.each(infraFiles(".bicepparam").filter((path) => path.includes("environments")))("%s", (path) => {
  const values = declarations(parseBicep(path), "variable");
  const defaults = entries(body(declarations(module, "variable").get("gatewayDefaults")));
  const settings = new Map([...defaults, ...entries(body(values.get("settings")))]);
  const list = (name: string) =>
    (values.get(name)?.descendantsOfType("string") ?? []).map((node) => unquoted(node)).join(",");
  const environment = {
    ...Object.fromEntries([...settings].map(([name, node]) => [name, settingText(node)])),
    AzureWebJobsStorage__queueServiceUri: "https://storage.queue.example.com",
    AzureWebJobsStorage__blobServiceUri: "https://storage.blob.example.com",
    AUTH_TENANT_ID: unquoted(values.get("authTenantId")?.namedChild(1)),
    AUTH_AUDIENCES: list("authAudiences"),
    AUTH_CLIENT_IDS: list("authClientIds"),
    PLATFORM_PASSWORD: "from the vault",
    ROOM_HOST_PIN: "1234",
    EVENT_SINK_PASSWORD: "from the vault",
  };

  it("holds settings that the app starts with", () => {
    const loaded = loadSettings(environment);
    expect(loaded.bearer.clientIds).toHaveLength(1);
    expect(loaded.rooms.template).toEqual({ participant_limit: 10 });
  });

  it("has ids of its own that are made up", () => {
    const text = parseBicep(path).text;
    const ids = text.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [];
    expect(ids.length).toBeGreaterThanOrEqual(5);
    expect(ids.filter((id) => !id.startsWith("00000000-0000-4000-8000-"))).toEqual([]);
    const others = infraFiles(".bicepparam").filter(
      (other) => other !== path && other.includes("environments"),
    );
    expect(others.filter((other) => parseBicep(other).text.includes(list("authClientIds")))).toEqual([]);
  });
});

it("all instances together call the platform no more than 20 times at once", () => {
  const main = parseBicep(join("infra", "main.bicep"));
  const instances = declarations(main, "parameter")
    .get("maximumInstanceCount")
    ?.descendantsOfType("number")[0];
  expect(
    Number(instances?.text) * Number(deployed.get("PLATFORM_MAX_CONCURRENCY")?.text),
  ).toBeLessThanOrEqual(20);
  expect(Number(instances?.text)).toBeGreaterThan(0);
});
