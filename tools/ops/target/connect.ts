/** Connects to the gateway that the options name, or else the environment or azd. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as z from "zod";
import { UsageError } from "../outcomes.ts";
import { connectLocally } from "./local.ts";
import type { DeploymentNames, Environment, Target } from "./target.ts";

/** The options that name the gateway: every command has them. */
export interface GatewayOptions {
  readonly local?: true;
  readonly connectionFile?: string;
  readonly environment?: string;
}

/** Throws UsageError if the options do not name a gateway, and UnreachableError if it cannot be reached. */
export async function connect(options: GatewayOptions, environment: Environment): Promise<Target> {
  const { local, connectionFile, environment: name } = options;
  if (name?.startsWith("-")) throw new UsageError(`--environment needs a name, and ${name} is an option`);
  if (local) return connectLocally(connectionFile);
  const names = await nameDeployment(name, environment);
  // Loaded here, because Azure's libraries take a second that the local gateway does not need.
  const { connectToDeployment } = await import("./deployment.ts");
  return connectToDeployment(names, environment);
}

const valuesSchema = z.record(z.string(), z.string());

/** Throws UsageError if the deployment is not named completely. */
async function nameDeployment(name: string | undefined, environment: Environment): Promise<DeploymentNames> {
  const isByEnvironment = name === undefined && environment["FUNCTION_APP_NAME"] !== undefined;
  const values = isByEnvironment ? environment : await azdValues(name, environment);
  return {
    subscription: valueOf(values, "AZURE_SUBSCRIPTION_ID"),
    resourceGroup: valueOf(values, "AZURE_RESOURCE_GROUP"),
    app: valueOf(values, "FUNCTION_APP_NAME"),
    workspaceId: values["LOG_WORKSPACE_ID"],
    healthUrl: values["HEALTH_URL"],
    environment: values["AZURE_ENV_NAME"],
  };
}

function valueOf(values: Environment, name: string): string {
  const value = values[name];
  if (value === undefined || value === "") throw new UsageError(`${name} is missing from the environment`);
  return value;
}

async function azdValues(name: string | undefined, environment: Environment): Promise<Environment> {
  const selection = name === undefined ? [] : ["--environment", name];
  try {
    const { stdout } = await promisify(execFile)(
      "azd",
      ["env", "get-values", "--output", "json", ...selection],
      {
        env: { ...environment },
        timeout: 30_000,
      },
    );
    return valuesSchema.parse(JSON.parse(stdout));
  } catch (error) {
    throw new UsageError(
      name === undefined
        ? "Name the gateway: --local, an azd environment, or FUNCTION_APP_NAME and the other variables"
        : `--environment: ${azdFault(error, name)}`,
      { cause: error },
    );
  }
}

function azdFault(error: unknown, name: string): string {
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  return isMissing ? "azd is not installed" : `azd knows no values of ${name}`;
}
