/** Starts Azurite, the storage emulator, inside this process: in memory, on loopback. */
import { createRequire } from "node:module";

interface AzuriteServer {
  readonly httpServer: { closeAllConnections(): void };
  start(): Promise<void>;
  close(): Promise<void>;
  getHttpServerAddress(): string;
}

interface QueueServer extends AzuriteServer {
  readonly gcManager: { gcIntervalInMS: number };
}

const require = createRequire(import.meta.url);
const host = "127.0.0.1";
const freePort = 0;
const keepAliveSeconds = 60;
const extentLimitBytes = 256 * 1024 * 1024;
const sweepMilliseconds = 500;

/**
 * Starts the queue and blob services and, if requested, the table service. Instances in one process are separate.
 * Telemetry and access logs are off. Any API version is accepted, because the storage SDK is newer than Azurite.
 */
export async function startAzurite(options: { readonly table?: boolean } = {}) {
  await using servers = new AsyncDisposableStack();
  const account = readAccount();
  const start = async (server: AzuriteServer): Promise<string> => {
    await server.start();
    servers.defer(async () => {
      const closing = server.close();
      server.httpServer.closeAllConnections();
      await closing;
    });
    return `${server.getHttpServerAddress()}/${account.name}`;
  };
  const parts = [
    "DefaultEndpointsProtocol=http",
    `AccountName=${account.name}`,
    `AccountKey=${account.key}`,
    `QueueEndpoint=${await start(createQueueServer())}`,
    `BlobEndpoint=${await start(createServer("blob", "Blob"))}`,
    ...(options.table ? [`TableEndpoint=${await start(createTableServer())}`] : []),
  ];
  const running = servers.move();
  return {
    connectionString: `${parts.join(";")};`,
    /** Closes the servers and all connections; stored data is lost. */
    stop: async (): Promise<void> => running.disposeAsync(),
  };
}

// Azurite sweeps deleted messages one by one, each in time proportional to all of them. At its usual interval of a
// minute, a sweep under load stops the server for seconds.
function createQueueServer(): AzuriteServer {
  const server = createServer("queue", "Queue") as QueueServer;
  server.gcManager.gcIntervalInMS = sweepMilliseconds;
  return server;
}

// Azurite has no programming interface: its classes take positional arguments, so the version is pinned.
const noTlsNoOAuth = ["", "", "", undefined] as const;
const strictModeButAnyApiVersion = [false, true] as const;
const pathStyleUrlInMemory = [true, true] as const;
const common = [...strictModeButAnyApiVersion, ...noTlsNoOAuth, ...pathStyleUrlInMemory] as const;

function createServer(folder: "queue" | "blob", name: "Queue" | "Blob"): AzuriteServer {
  const { MemoryExtentChunkStore } = require("azurite/dist/src/common/persistence/MemoryExtentStore");
  const noAccessOrDebugLog = [false, undefined, false, undefined] as const;
  const store = new MemoryExtentChunkStore(extentLimitBytes);
  return construct(folder, name, ["", "", [], ...noAccessOrDebugLog, ...common, store]);
}

function createTableServer(): AzuriteServer {
  const noLogs = [false, false, undefined, undefined] as const;
  return construct("table", "Table", ["", ...noLogs, ...common]);
}

function construct(folder: string, name: string, settings: readonly unknown[]): AzuriteServer {
  const Server = require(`azurite/dist/src/${folder}/${name}Server`).default;
  const Configuration = require(`azurite/dist/src/${folder}/${name}Configuration`).default;
  return new Server(new Configuration(host, freePort, keepAliveSeconds, ...settings));
}

function readAccount(): { name: string; key: string } {
  const constants = require("azurite/dist/src/common/utils/constants") as {
    EMULATOR_ACCOUNT_NAME: string;
    EMULATOR_ACCOUNT_KEY: Buffer;
  };
  return { name: constants.EMULATOR_ACCOUNT_NAME, key: constants.EMULATOR_ACCOUNT_KEY.toString("base64") };
}
