/** The URLs of a running local gateway, and the files through which other commands find it. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import type { DevelopmentStack } from "./development-stack.ts";
import { AppState } from "./host/messages.ts";

const connectionSchema = z.object({
  /** The process that started the gateway and wrote the file. */
  processId: z.int(),
  /** When that process started, ISO 8601. */
  startedAt: z.iso.datetime(),
  gatewayUrl: z.string(),
  platformControlUrl: z.string(),
  tokenUrl: z.string(),
  contactCentreUrl: z.string(),
  logWorkspaceUrl: z.string(),
  storageConnectionString: z.string(),
  maxLevel: z.int(),
  poolReadyDelaySeconds: z.number(),
  garbageMinimumAgeSeconds: z.number(),
  /** Whether the app takes calls, with the reason in one line if it does not. `npm start -- --no-app` leaves it out. */
  app: AppState.optional(),
  /** The app's settings by name. The secrets among them are made up. */
  settings: z.record(z.string(), z.string()),
});

export type Connection = z.output<typeof connectionSchema>;

/** Describes a stack and the gateway in front of it, which has these settings. */
export function connectionOf(
  stack: DevelopmentStack,
  gatewayUrl: string,
  settings: Readonly<Record<string, string>>,
): Connection {
  return {
    processId: process.pid,
    startedAt: new Date(performance.timeOrigin).toISOString(),
    gatewayUrl,
    platformControlUrl: stack.platform.controlUrl,
    tokenUrl: stack.issuer.tokenUrl,
    contactCentreUrl: stack.contactCentre.url,
    logWorkspaceUrl: stack.logWorkspace.url,
    storageConnectionString: settings["AzureWebJobsStorage"] ?? stack.azurite.connectionString,
    maxLevel: Number(settings["MAX_VMR"]),
    poolReadyDelaySeconds: Number(settings["POOL_READY_DELAY_SECONDS"]),
    garbageMinimumAgeSeconds: Number(settings["GC_MINIMUM_AGE_SECONDS"]),
    settings: { ...settings },
  };
}

/** Holds one file per running gateway. */
export const connectionFolder = ".tmp/gateways";

const ownFile = join(connectionFolder, `${process.pid}.json`);

/** Writes a file, by default that of this process. */
export function writeConnection(connection: Connection, path = ownFile): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(connection, undefined, 2)}\n`, { mode: 0o600 });
}

/** Removes the file of this process. Synchronous, because it runs while the process exits. */
export function removeConnectionFile(): void {
  rmSync(ownFile, { force: true });
}

/**
 * Returns the content of the file if the process that wrote it runs, whether its gateway responds or not; without a
 * path, that of the process started last. Returns undefined if there is none.
 */
export async function findStartedGateway(
  path?: string,
  folder = connectionFolder,
): Promise<Connection | undefined> {
  if (path === undefined) return (await findStartedGateways(folder))[0];
  const connection = await readConnection(path);
  return connection && isProcessRunning(connection.processId) ? connection : undefined;
}

/** Returns every gateway of this folder whose process runs, the one started last first. */
export async function findStartedGateways(folder = connectionFolder): Promise<Connection[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(names.map(async (name) => findStartedGateway(join(folder, name))));
  return found
    .filter((connection) => connection !== undefined)
    .toSorted((one, other) => Date.parse(other.startedAt) - Date.parse(one.startedAt));
}

async function readConnection(path: string): Promise<Connection | undefined> {
  try {
    return connectionSchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch {
    return undefined;
  }
}

function isProcessRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    // A process of another user runs, although it cannot be signalled.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
