/** Ready-to-paste curl lines for the whole life of a room. */

import { encodeServiceTag } from "../../../client/src/service-tag.ts";
import { identities } from "../../simulators/identities.ts";
import { tokenForm } from "../stack/access-token.ts";
import type { Connection } from "../stack/connection.ts";

export interface CurlLine {
  /** What the line does; empty if it continues the line before. */
  readonly purpose: string;
  /** For a POSIX shell. Lines that get a token or create a room set TOKEN and ROOM for those after them. */
  readonly command: string;
}

/** Returns the lines in the order of a room's life. Each works as it is if those before it were pasted. */
export function curlLines(connection: Connection): CurlLine[] {
  const { gatewayUrl, tokenUrl, platformControlUrl, logWorkspaceUrl } = connection;
  const curl = "curl -i -w '\\n'";
  const authorized = `${curl} -H "Authorization: Bearer $TOKEN"`;
  const room = `"${gatewayUrl}/room/$ROOM"`;
  const form = Object.entries(tokenForm).map(([name, value]) => `-d ${name}=${value}`);
  const uuiData = encodeServiceTag("https://verify.example.com/sessions/4711");
  const field = (name: string): string => `sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p'`;
  const conference = (action: string): string =>
    `${curl} -d "{\\"name\\":\\"$ROOM\\"}" ${platformControlUrl}/control/conferences/${action}`;
  const fire = (name: string): string =>
    `${curl} -H 'Content-Type: application/json' -d '{}' ${gatewayUrl}/admin/functions/${name}`;
  return [
    line("Check that the gateway is up", `${curl} ${gatewayUrl}/public/health`),
    line("Get a token", `TOKEN=$(curl -s ${form.join(" ")} ${tokenUrl} | ${field("access_token")})`),
    line(
      "Fill the pool (202; continues in the background)",
      `${authorized} -X POST ${gatewayUrl}/room/bulk/`,
    ),
    line(
      "Create a room, which takes one from the pool; uuiData holds the service tag",
      `RESPONSE=$(curl -s -X POST -H "Authorization: Bearer $TOKEN" '${gatewayUrl}/room/create?uuiData=${uuiData}')`,
    ),
    line("Show the response, and keep the room's name", `printf '%s\\n' "$RESPONSE"`),
    line("", `ROOM=$(printf '%s\\n' "$RESPONSE" | ${field("name")})`),
    line("Read the room in the constrained and in the full shape", `${authorized} ${room}`),
    line("", `${authorized} "${gatewayUrl}/room/$ROOM?constrained_attributes=false"`),
    line(
      "Read the room as an agent's desktop does (without the host PIN)",
      `${curl} -H 'x-auth-token: ${identities.agentToken}' "${gatewayUrl}/public/room/$ROOM"`,
    ),
    line(
      "Change the room (202)",
      `${authorized} -X PATCH -H 'Content-Type: application/json' -d '{"participant_limit":4}' ${room}`,
    ),
    line("List all rooms", `${authorized} ${gatewayUrl}/room/list`),
    line(
      "Start and end a conference on the platform, which sends an event to the gateway",
      conference("start"),
    ),
    line("", conference("end")),
    line(
      `Collect garbage now instead of in 10 minutes (202); rooms are deleted ${connection.garbageMinimumAgeSeconds} s after their end`,
      fire("collectGarbage"),
    ),
    line("Write a metrics row now (202), and show all rows", fire("collectMetrics")),
    line("", `${curl} ${logWorkspaceUrl}/control/rows`),
    line("Delete the room (204, or 404 if it has been collected)", `${authorized} -X DELETE ${room}`),
    line("Delete all rooms and empty the pool (204)", `${authorized} -X DELETE ${gatewayUrl}/room/bulk/`),
  ];
}

function line(purpose: string, command: string): CurlLine {
  return { purpose, command };
}
