/** Names that the infrastructure and the code must agree on: queues, columns of the metrics table, functions, secrets. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { metricsColumns } from "../../src/lib/metrics/row.ts";
import { queueNames } from "../../src/lib/queues/queue-names.ts";
import { body, children, declarations, entries, infraFiles, parseBicep, unquoted } from "./bicep-source.ts";

const module = (name: string) => parseBicep(join("infra", "modules", `${name}.bicep`));

it("the queues are those of the code, the poison queue with them", () => {
  const array = declarations(module("storage"), "variable").get("queueNames")?.descendantsOfType("array")[0];
  const names = children(array)
    .filter((node) => node.type === "string")
    .map((node) => unquoted(node));
  expect(names.sort()).toEqual(Object.values(queueNames).sort());
});

it("the table's columns are those of a metrics row, with their types", () => {
  const array = declarations(module("metrics-table"), "variable")
    .get("columns")
    ?.descendantsOfType("array")[0];
  const columns = children(array)
    .filter((node) => node.type === "object")
    .map((node) => entries(node))
    .map((column) => [unquoted(column.get("name")), unquoted(column.get("type"))]);
  expect(Object.fromEntries(columns)).toEqual(metricsColumns);
  expect(columns).toHaveLength(Object.keys(metricsColumns).length);
});

it("no resource accepts a shared key or a password where it can be told not to", () => {
  const properties = (name: string, resource: string) =>
    entries(entries(body(declarations(module(name), "resource").get(resource))).get("properties"));
  expect(properties("storage", "account").get("allowSharedKeyAccess")?.text).toBe("false");
  expect(properties("storage", "account").get("allowBlobPublicAccess")?.text).toBe("false");
  expect(properties("key-vault", "vault").get("enableRbacAuthorization")?.text).toBe("true");
  expect(properties("application-insights", "insights").get("DisableLocalAuth")?.text).toBe("true");
  expect(entries(properties("workspace", "workspace").get("features")).get("disableLocalAuth")?.text).toBe(
    "true",
  );
  expect(properties("function-app", "publishingPasswords").get("allow")?.text).toBe("false");
});

it("each role is assigned on one resource, to a principal that is given, with a comment that says why", () => {
  const assignments = infraFiles(".bicep").flatMap((path) =>
    [...declarations(parseBicep(path), "resource")]
      .filter(([, node]) =>
        unquoted(node.namedChild(1)).startsWith("Microsoft.Authorization/roleAssignments"),
      )
      .map(([name, node]) => ({ path, name, node })),
  );
  expect(assignments).toHaveLength(5);
  const faults = assignments.flatMap(({ path, name, node }) => {
    const root = parseBicep(path);
    const scope = entries(body(node)).get("scope")?.text ?? "";
    // One assignment for each of several roles: the reasons stand where the roles are listed.
    const described = declarations(root, "variable").get("appRoleIds") ?? node;
    const above = readFileSync(path, "utf8").split("\n")[described.startPosition.row - 1] ?? "";
    const isOneResource = declarations(root, "resource").has(scope);
    return isOneResource && /^\/\/ .+\.$/.test(above) ? [] : [`${path}: ${name}`];
  });
  expect(faults).toEqual([]);
});
