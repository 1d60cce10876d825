/** What `npm start` prints with `--recipe`: URLs, tokens, and lines to paste. */

import type { Connection } from "../../simulators/connection.ts";
import { consumer, identities } from "../../simulators/identities.ts";
import { lifeOfRoom } from "./life-of-room.ts";

/** Returns the text. Its secrets are made up and only work for this gateway. */
export function introduction(connection: Connection, token: string): string {
  const addresses = [
    ["gateway", connection.gatewayUrl],
    ["platform API", `${connection.platformUrl}/api/admin/`],
    ["", `user ${identities.platformUsername}, password ${identities.platformPassword}`],
    ["platform control", `${connection.platformControlUrl}/control/rooms`],
    ["token issuer", connection.tokenUrl],
    ["contact centre", connection.contactCentreUrl],
    ["log workspace", `${connection.logWorkspaceUrl}/control/rows`],
    ["queue service", connection.queueServiceUrl],
  ].map(([name = "", address = ""]) => `  ${name.padEnd(18)}${address}`);
  const steps = lifeOfRoom(connection).flatMap(({ purpose, commands }) => ["", `# ${purpose}`, ...commands]);
  return [
    "Addresses",
    ...addresses,
    "",
    "For your own program: paste these lines into its terminal",
    `  export GATEWAY_URL=${connection.gatewayUrl}`,
    `  export TOKEN_URL=${connection.tokenUrl}`,
    `  export CLIENT_ID=${consumer.clientId}`,
    `  export CLIENT_SECRET=${consumer.clientSecret}`,
    "",
    "A token for /room/... (valid for one hour)",
    `  ${token}`,
    "",
    "An agent's x-auth-token for /public/room/...",
    `  ${identities.agentToken}`,
    "",
    "The life of a room: paste these lines into another terminal",
    ...steps,
    "",
  ].join("\n");
}
