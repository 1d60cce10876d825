/** The table in docs/api-management.md: each operation with what API Management does for it. */
import { readFileSync } from "node:fs";
import * as z from "zod";
import type { Deployment } from "./bicep/deployment.ts";
import { allOf, onlyOf, propertiesOf } from "./environments.ts";
import { describe, effectivePolicies, type PolicyElement, parsePolicy, sections } from "./policies.ts";

export const policyTablePath = "docs/api-management.md";
const begin = "<!-- policies begin: npm run policies writes what follows -->";
const end = "<!-- policies end -->";

const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ operationId: z.string() }))),
});

/** API Management's own rule for the names of imported operations. */
export function operationName(operationId: string): string {
  return operationId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

const OwnOperation = z.object({ method: z.string(), urlTemplate: z.string() });

/** `METHOD /path` of each operation of openapi.json and of each that the deployment adds, by its name. */
export function operationsOfTheApi(deployment: Deployment): ReadonlyMap<string, string> {
  const { paths } = Document.parse(JSON.parse(readFileSync("openapi.json", "utf8")));
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => [operationName(operationId), `${method.toUpperCase()} ${path}`] as const,
    ),
  );
  const added = allOf(deployment, "operation").map((resource) => {
    const { method, urlTemplate } = OwnOperation.parse(propertiesOf(resource));
    return [resource.fields.name.split("/").at(-1) ?? "", `${method} ${urlTemplate}`] as const;
  });
  return new Map([...documented, ...added]);
}

/** The document with its table made again from a deployment. */
export function withPolicyTable(document: string, deployment: Deployment): string {
  const [before, rest] = document.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${policyTablePath} has no markers`);
  return `${before}${begin}\n\n${tableOf(deployment)}\n\n${stepsOf(deployment)}\n\n${end}${after}`;
}

function tableOf(deployment: Deployment): string {
  const paths = operationsOfTheApi(deployment);
  const rows = [...effectivePolicies(deployment)].map(([operation, { inbound }]) => {
    const find = (name: string): PolicyElement | undefined => inbound.find((step) => step.name === name);
    const limit = find("rate-limit-by-key")?.attributes;
    const counter = limit?.["counter-key"]?.includes("IpAddress") ? "address and operation" : "client";
    const bytes = /> (\d+)\)/.exec(describe(inbound).join("\n"))?.[1];
    return [
      `\`${paths.get(operation)}\``,
      find("validate-azure-ad-token") ? "checked" : "left to the app",
      limit ? `${limit["calls"]} in ${limit["renewal-period"]} s by ${counter}` : "none",
      `${Number(bytes) / 2 ** 20} MiB`,
      find("cors") ? "the widget's origins" : "none",
    ];
  });
  const head = ["Operation", "Token", "Rate limit", "Largest body", "Pages that may call it"];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The steps that every operation has in common, in order. */
function stepsOf(deployment: Deployment): string {
  const policy = parsePolicy(propertiesOf(onlyOf(deployment, "apiPolicy"))["value"]);
  const rows = sections.flatMap((section) =>
    describe(policy[section].filter(({ name }) => name !== "base")).map(
      (step) => `| ${section} | \`${step}\` |`,
    ),
  );
  return ["| Section | Step of every operation, in order |", "| --- | --- |", ...rows].join("\n");
}
