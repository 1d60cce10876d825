/** Connects to the gateway that runs on this machine, through the file with its URLs. */

import { createCredential } from "../../../src/lib/azure/credential.ts";
import { openQueues } from "../../../src/lib/azure/storage-queue.ts";
import { roomFingerprint } from "../../../src/lib/pool/new-room.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { bypassProxy } from "../../local/process/bypass-proxy.ts";
import { fetchAccessToken } from "../../local/stack/access-token.ts";
import { findStartedGateway } from "../../local/stack/connection.ts";
import { UnreachableError } from "../outcomes.ts";
import { createLocalLog } from "./local-log.ts";
import { openPlatform } from "./platform.ts";
import type { Target } from "./target.ts";

/** Connects to the gateway of this file, or to the one that started last. Throws UnreachableError if none runs. */
export async function connectLocally(path?: string): Promise<Target> {
  bypassProxy();
  const connection = await findStartedGateway(path);
  if (!connection)
    throw new UnreachableError(
      `No local gateway is running${path === undefined ? "" : ` (${path})`}. Start one with \`npm start\`, or leave out --local for a deployment.`,
    );
  const settings = loadSettings(connection.settings);
  const { template, hostPin } = settings.rooms;
  return {
    name: `the local gateway at ${connection.gatewayUrl}`,
    isLocal: true,
    gatewayUrl: connection.gatewayUrl,
    settings,
    queues: openQueues({ storage: settings.storage, credential: createCredential(settings.storage) }),
    log: createLocalLog(connection.logWorkspaceUrl),
    platform: openPlatform(settings.platform),
    fingerprint: async () => roomFingerprint(template, hostPin),
    unresolvedSecrets: async () => [],
    operatorId: async () => "local",
    accessToken: async () => fetchToken(connection.tokenUrl),
  };
}

async function fetchToken(tokenUrl: string): Promise<string> {
  try {
    return await fetchAccessToken(tokenUrl);
  } catch (error) {
    throw new UnreachableError(`The token issuer at ${tokenUrl} gave no token.`, { cause: error });
  }
}
