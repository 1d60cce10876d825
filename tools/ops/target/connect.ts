/** Connects to the gateway that the options name. */
import { UsageError } from "../outcomes.ts";
import { type Environment, nameDeployment } from "./deployment-names.ts";
import { connectLocally } from "./local-target.ts";
import type { Target } from "./target.ts";

/** The options that name the gateway: every command has them. */
export interface GatewayOptions {
  readonly local?: true;
  readonly connectionFile?: string;
  readonly environment?: string;
  readonly subscription?: string;
  readonly resourceGroup?: string;
  readonly app?: string;
  readonly workspace?: string;
}

/** Throws UsageError if the options do not name a gateway, and UnreachableError if it cannot be reached. */
export async function connect(options: GatewayOptions, environment: Environment): Promise<Target> {
  const { local, connectionFile, subscription, resourceGroup, app, workspace } = options;
  if (local) {
    const ofDeployment = {
      "--environment": options.environment,
      "--subscription": subscription,
      "--resource-group": resourceGroup,
      "--app": app,
      "--workspace": workspace,
    };
    const surplus = Object.entries(ofDeployment).find(([, value]) => value !== undefined);
    if (surplus) throw new UsageError(`${surplus[0]} cannot be combined with --local`);
    return connectLocally(connectionFile);
  }
  if (connectionFile !== undefined) throw new UsageError("--connection-file needs --local");
  const names = await nameDeployment(options, environment);
  // Loaded here, because Azure's libraries take a second that the local gateway does not need.
  const { connectToDeployment } = await import("./deployment.ts");
  return connectToDeployment(names, environment);
}
