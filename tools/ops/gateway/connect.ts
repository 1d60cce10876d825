/** Connects to the gateway that the options name, or else the variables of the shell. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { UsageError } from "../outcomes.ts";
import { connectLocally } from "./local.ts";
import type { DeploymentNames, Environment, Target } from "./target.ts";

/** The options that name the gateway: every command has them. */
export interface GatewayOptions {
  readonly local?: true;
  readonly environment?: string;
}

/** Throws UsageError if the options do not name a gateway, and UnreachableError if it cannot be reached. */
export async function connect(options: GatewayOptions, environment: Environment): Promise<Target> {
  const { local, environment: name } = options;
  if (local) return connectLocally();
  const names = await nameDeployment(name, environment);
  // Loaded here, because Azure's libraries take a second that the local gateway does not need.
  const { connectToDeployment } = await import("./deployment.ts");
  return connectToDeployment(names, environment);
}

/**
 * Throws UsageError if the deployment is not named completely. The values of an environment win over those of the
 * shell.
 */
async function nameDeployment(name: string | undefined, shell: Environment): Promise<DeploymentNames> {
  if (name !== undefined) return namesIn(withoutBlanks(await readValues(name)));
  const environment = withoutBlanks(shell);
  const app = environment["FUNCTION_APP_NAME"];
  if (app === undefined)
    throw new UsageError(
      "Name the gateway: --local, --environment, or FUNCTION_APP_NAME and the other variables",
    );
  const subscription = valueOf(environment, "AZURE_SUBSCRIPTION_ID");
  const resourceGroup = valueOf(environment, "AZURE_RESOURCE_GROUP");
  const { LOG_WORKSPACE_ID: workspaceId, HEALTH_URL: healthUrl } = environment;
  return { subscription, resourceGroup, app, workspaceId, healthUrl };
}

/** Returns the names that infra/deploy.sh uses with these values. */
function namesIn(values: Environment): DeploymentNames {
  const environment = valueOf(values, "AZURE_ENV_NAME");
  return {
    subscription: valueOf(values, "AZURE_SUBSCRIPTION_ID"),
    resourceGroup: values["AZURE_RESOURCE_GROUP"] ?? `rg-vmr-gateway-${environment}`,
    workspaceId: values["EXISTING_WORKSPACE_ID"],
    environment,
  };
}

async function readValues(name: string): Promise<Environment> {
  const file = join("infra", "environments", `${name}.env`);
  try {
    return parseEnv(await readFile(file, "utf8"));
  } catch (error) {
    throw new UsageError(`--environment: there is no ${file}`, { cause: error });
  }
}

/** A blank value is none, as for infra/deploy.sh. */
function withoutBlanks(values: Environment): Environment {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}

function valueOf(values: Environment, name: string): string {
  const value = values[name];
  if (value === undefined) throw new UsageError(`${name} is missing`);
  return value;
}
