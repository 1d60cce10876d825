/** The environments in `infra/environments`, as they would be deployed. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import * as z from "zod";
import { type Deployment, deploy, readParameters } from "./bicep/deployment.ts";
import { type Resource, toPlain } from "./bicep/values.ts";

const folder = join("infra", "environments");

export const environmentNames = readdirSync(folder).map((name) => name.replace(/\.env$/, ""));

/** Returns the variables of an environment's file. */
export function variablesOf(name: string): Record<string, string> {
  return z.record(z.string(), z.string()).parse(parseEnv(readFileSync(join(folder, `${name}.env`), "utf8")));
}

/** Deploys an environment, with other values of some variables. */
export function deployed(name: string, changes: Readonly<Record<string, string>> = {}): Deployment {
  return deploy(readParameters({ ...variablesOf(name), ...changes }));
}

/** Returns the resources of a type that the deployment makes; existing ones that it refers to are not among them. */
export function allOf({ resources }: Deployment, type: string): Resource[] {
  return resources.filter((resource) => resource.type === `Microsoft.${type}` && !resource.isExisting);
}

/** Returns the only resource of a type. Throws an Error if there are more or none. */
export function onlyOf(deployment: Deployment, type: string): Resource {
  const [found, ...others] = allOf(deployment, type);
  if (!found || others.length > 0) throw new Error(`There is not exactly one ${type}`);
  return found;
}

/** Returns the properties of a resource, as Azure gets them. */
export function propertiesOf(resource: Resource) {
  return z.record(z.string(), z.any()).parse(toPlain(resource.body["properties"] ?? {}));
}

/** Returns a text without the hashes that make names unique. */
export function withoutHash(text: string): string {
  return text.replaceAll(/(?<=-|stvmr|stvmrpkg)[0-9a-f]{13}\b/g, "<hash>");
}
