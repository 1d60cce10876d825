/** What protects a deployment: encrypted ways in, no way around API Management's checks, and roles that fit their purpose. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Node } from "web-tree-sitter";
import { eventSink } from "../../src/functions/event-sink.ts";
import { updateRoom } from "../../src/functions/update-room.ts";
import { body, declarations, entries, parseBicep, unquoted } from "./bicep-source.ts";

const module = (name: string) => parseBicep(join("infra", "modules", `${name}.bicep`));
const policy = (name: string) => readFileSync(join("infra", "policies", `${name}.xml`), "utf8");

/** The text of a property below `properties` of a resource. */
function property(file: string, resource: string, ...path: string[]): string {
  const start: Node | undefined = body(declarations(module(file), "resource").get(resource));
  return unquoted(
    ["properties", ...path].reduce<Node | undefined>((node, key) => entries(node).get(key), start),
  );
}

describe("what is reached over a network", () => {
  it.each([
    ["storage", "account", "minimumTlsVersion", "TLS1_2"],
    ["storage", "account", "supportsHttpsTrafficOnly", "true"],
    ["storage", "account", "allowCrossTenantReplication", "false"],
    ["storage", "account", "defaultToOAuthAuthentication", "true"],
    ["function-app", "app", "httpsOnly", "true"],
    ["key-vault", "vault", "enableSoftDelete", "true"],
    ["key-vault", "vault", "enablePurgeProtection", "true"],
    ["gateway-api", "api", "protocols", "['https']"],
    ["gateway-api", "api", "subscriptionRequired", "false"],
  ])("%s: %s has %s %s", (file, resource, name, expected) => {
    expect(property(file, resource, name)).toBe(expected);
  });

  it("the app speaks TLS 1.2 or later and no FTP, and runs on the Node that it is tested on", () => {
    expect(property("function-app", "app", "siteConfig", "minTlsVersion")).toBe("1.2");
    expect(property("function-app", "app", "siteConfig", "ftpsState")).toBe("Disabled");
    const runtime = [
      ...module("function-app").text.matchAll(/runtime: \{\s+name: '(\w+)'\s+version: '(\d+)'/g),
    ];
    const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(runtime.map(([, name, version]) => [name, `>=${version}`])).toEqual([["node", engines.node]]);
  });

  it.each(["storage", "key-vault"])("%s lets nobody in from outside when the network is private", (file) => {
    const acls = module(file).text.match(/networkAcls: \{[^}]*\}/)?.[0];
    expect(acls).toContain("defaultAction: publicNetworkAccess == 'Enabled' ? 'Allow' : 'Deny'");
    expect(acls).toContain("bypass: 'None'");
  });

  it("who reads or changes a secret is recorded", () => {
    expect(property("key-vault", "audit", "logs")).toMatch(/categoryGroup: 'audit'\s+enabled: true/);
  });
});

// https://learn.microsoft.com/azure/role-based-access-control/built-in-roles
it("the roles are the least that do: read secrets, write queues and tables, own the host's blobs, send metrics", () => {
  const ids = (name: string) =>
    module(name).text.match(/'[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'/g);
  expect(ids("storage")).toEqual([
    "'b7e6dc6d-f1e8-4753-8033-0f276bb0955b'",
    "'974c5e8b-45b9-4653-ba55-5f855dd0fb88'",
    "'0a9a7e1f-b9d0-4cc4-a60d-0319b160aaa3'",
  ]);
  expect(ids("key-vault")).toEqual([
    "'4633458b-17de-408a-b874-0445c86b69e6'",
    "'b86a8fe4-44ce-4948-aee5-eccb2c155cd7'",
  ]);
  expect(ids("data-collection-rule")).toEqual(["'3913510d-42f4-4e42-8a64-420c390055eb'"]);
  expect(ids("application-insights")).toEqual(ids("data-collection-rule"));
  const assigned = (name: string, resource: string) => [
    property(name, resource, "principalId"),
    /roleDefinitions', (\w+)\)/.exec(property(name, resource, "roleDefinitionId"))?.[1],
  ];
  expect(assigned("key-vault", "appMayRead")).toEqual(["appPrincipalId", "readerRoleId"]);
  expect(assigned("key-vault", "officerMayWrite")).toEqual(["secretOfficerPrincipalId", "officerRoleId"]);
});

describe("API Management", () => {
  it("takes bodies as large as the app does, and no larger", () => {
    const text = module("gateway-api").text;
    const stated = [...text.matchAll(/name: '([\w-]+)'.*maximumBodyBytes: (\d+)/g)].map(([, name, bytes]) => [
      name,
      Number(bytes),
    ]);
    const [ofRooms, ofEvents] = [updateRoom, eventSink].map(({ body: limits }) => limits?.maxBytes);
    expect(Object.fromEntries(stated)).toEqual({
      "get-public-room": ofRooms,
      "event-sink": ofEvents,
      "health-check": ofRooms,
    });
    expect(policy("private-operation")).toContain(`&gt; ${ofRooms})`);
    expect(policy("public-operation")).toContain("&gt; __maximumBodyBytes__)");
  });

  it("hides service tags from its log, on the way in and on the way on", () => {
    expect(module("gateway-api").text).toContain("queryParams: [{ value: 'uuiData', mode: 'Hide' }]");
    expect(property("gateway-api", "logging", "frontend")).toBe("withoutServiceTags");
    expect(property("gateway-api", "logging", "backend")).toBe("withoutServiceTags");
  });

  it("waits longer than the longest operation and hands no function key on", () => {
    const all = policy("all-operations");
    expect(Number(/<forward-request timeout="(\d+)"/.exec(all)?.[1])).toBeGreaterThan(180);
    expect(all).toContain('<set-header name="x-functions-key" exists-action="delete" />');
  });

  it("lets pages of the widget's origins read alone, with their token in a header and no cookie", () => {
    const text = policy("public-operation");
    expect(text).toContain('<cors allow-credentials="false"');
    expect(text.match(/<method>\w+<\/method>/g)).toEqual(["<method>GET</method>"]);
    expect(text).toContain("<allowed-origins>__origins__</allowed-origins>");
  });

  it("counts calls by client behind the token's check, by address elsewhere, a minute at a time", () => {
    expect(policy("private-operation")).toMatch(/header-name="Authorization"/);
    expect(policy("private-operation")).toMatch(/calls="__callsPerMinute__" renewal-period="60"/);
    expect(policy("public-operation")).toMatch(
      /calls="__callsPerMinute__" renewal-period="60" counter-key="@\(context\.Operation\.Id .*IpAddress/,
    );
  });
});

it("a deployment begins with the app's own defaults, and lets a room ripen for 90 s", () => {
  const defaults = entries(body(declarations(module("app-settings"), "variable").get("gatewayDefaults")));
  const numbers = [...defaults].filter(([, node]) => node.type === "number");
  expect(Object.fromEntries(numbers.map(([name, node]) => [name, Number(node.text)]))).toEqual({
    PLATFORM_TIMEOUT_SECONDS: 10,
    PLATFORM_MAX_CONCURRENCY: 5,
    POOL_LEASE_SECONDS: 300,
    POOL_READY_DELAY_SECONDS: 90,
    GC_MAX_MESSAGES: 20,
    GC_MINIMUM_AGE_SECONDS: 600,
  });
});
