/** Connects to the gateway that the options name. */
import type { CommonValues } from "../command.ts";
import { UsageError } from "../failures.ts";
import { connectLocally } from "./local-target.ts";
import type { Target } from "./target.ts";

/** Throws UsageError if the options do not name a gateway, and UnreachableError if it cannot be found. */
export async function connect(common: CommonValues): Promise<Target> {
  const { local, "connection-file": connectionFile } = common;
  if (local !== undefined) return connectLocally(connectionFile);
  throw new UsageError("--local: is the only target so far");
}
