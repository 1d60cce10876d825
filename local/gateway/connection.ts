// What somebody needs to talk to a gateway that runs on this computer, and the file that tells `npm run demo`.
import { readFileSync, rmSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { type DevelopmentStack, identities } from "./development-stack.ts";

const connectionSchema = z.object({
  /** Of the command that started it. */
  processId: z.int(),
  gatewayUrl: z.string(),
  platformUrl: z.string(),
  platformControlUrl: z.string(),
  tokenUrl: z.string(),
  contactCentreUrl: z.string(),
  logWorkspaceUrl: z.string(),
  queueServiceUrl: z.string(),
  storageConnectionString: z.string(),
  clientId: z.string(),
  clientSecret: z.string(),
  agentToken: z.string(),
  otherAgentToken: z.string(),
  maxRooms: z.int(),
  garbageMinimumAgeSeconds: z.number(),
});

export type Connection = z.output<typeof connectionSchema>;

/** The facts about a stack and the gateway in front of it, whose settings these are. */
export function connectionOf(
  stack: DevelopmentStack,
  gatewayUrl: string,
  settings: Readonly<Record<string, string>>,
): Connection {
  return {
    processId: process.pid,
    gatewayUrl,
    platformUrl: stack.platform.url,
    platformControlUrl: stack.platform.controlUrl,
    tokenUrl: stack.issuer.tokenUrl,
    contactCentreUrl: stack.contactCentre.url,
    logWorkspaceUrl: stack.logWorkspace.url,
    queueServiceUrl: stack.azurite.queueServiceUrl,
    storageConnectionString: stack.azurite.connectionString,
    clientId: identities.clientId,
    clientSecret: identities.clientSecret,
    agentToken: identities.agentToken,
    otherAgentToken: identities.otherAgentToken,
    maxRooms: Number(settings["MAX_VMR"]),
    garbageMinimumAgeSeconds: Number(settings["GC_MINIMUM_AGE_SECONDS"]),
  };
}

/** Where the facts are, unless told otherwise. */
export const connectionFile = ".tmp/stack.json";

/** Writes the facts, in the place of those of an earlier gateway. */
export async function writeConnection(path: string, connection: Connection): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `${JSON.stringify(connection, undefined, 2)}\n`, { mode: 0o600 });
}

/** Removes the file if it is this process's; for the very end of a process, where nothing can be awaited. */
export function removeConnection(path: string): void {
  try {
    const { processId } = connectionSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    if (processId === process.pid) rmSync(path);
  } catch {
    // There is no such file, or another process has just written to it.
  }
}

/** The facts in the file when the gateway there answers; undefined when there is none, or it has ended. */
export async function findRunningGateway(path: string): Promise<Connection | undefined> {
  try {
    const connection = connectionSchema.parse(JSON.parse(await readFile(path, "utf8")));
    const signal = AbortSignal.timeout(3000);
    const health = await fetch(`${connection.gatewayUrl}/public/health`, { signal });
    return health.ok ? connection : undefined;
  } catch {
    return undefined;
  }
}
