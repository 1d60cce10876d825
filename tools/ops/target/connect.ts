/** Connects to the gateway that the options name. */
import { UsageError } from "../failures.ts";
import type { CommonValues } from "../read-arguments.ts";
import { type Environment, nameDeployment } from "./deployment-names.ts";
import { connectLocally } from "./local-target.ts";
import type { Target } from "./target.ts";

const deploymentOptions = ["environment", "subscription", "resource-group", "app", "workspace"] as const;

/** Throws UsageError if the options do not name a gateway, and UnreachableError if it cannot be reached. */
export async function connect(common: CommonValues, environment: Environment): Promise<Target> {
  const isLocal = common.local;
  const surplus = deploymentOptions.find((name) => isLocal && common[name] !== undefined);
  if (surplus !== undefined) throw new UsageError(`--${surplus}: cannot be combined with --local`);
  if (!isLocal && common["connection-file"] !== undefined)
    throw new UsageError("--connection-file: needs --local");
  if (isLocal) return connectLocally(common["connection-file"]);
  const names = await nameDeployment(common, environment);
  // Loaded here, because Azure's libraries take a second that the local gateway does not need.
  const { connectToDeployment } = await import("./deployment.ts");
  return connectToDeployment(names, environment);
}
