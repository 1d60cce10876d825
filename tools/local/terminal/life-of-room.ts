/** The whole life of a room, as curl lines that can be pasted and are run by `npm run demo`. */

import { encodeServiceTag } from "../../../client/src/service-tag.ts";
import type { Connection } from "../../simulators/connection.ts";
import { identities } from "../../simulators/identities.ts";
import { tokenLine } from "../stack/token-line.ts";

export interface Step {
  readonly purpose: string;
  /** For a POSIX shell. Lines that get a token or create a room set TOKEN and ROOM for those after them. */
  readonly commands: readonly string[];
  /** The statuses of the responses that are shown. */
  readonly statuses: readonly number[];
}

/** Returns the steps in their order. Each works as it is if those before it were run. */
export function lifeOfRoom(connection: Connection): Step[] {
  const { gatewayUrl, tokenUrl, platformControlUrl, logWorkspaceUrl } = connection;
  const curl = "curl -sSi -w '\\n'";
  const authorized = `${curl} -H "Authorization: Bearer $TOKEN"`;
  const room = `"${gatewayUrl}/room/$ROOM"`;
  const uuiData = encodeServiceTag("https://verify.example.com/sessions/4711");
  const field = (name: string): string => `sed -n 's/.*"${name}":"\\([^"]*\\)".*/\\1/p'`;
  const conference = (action: string): string =>
    `${curl} -d "{\\"name\\":\\"$ROOM\\"}" ${platformControlUrl}/control/conferences/${action}`;
  const fire = (name: string): string =>
    `${curl} -H 'Content-Type: application/json' -d '{}' ${gatewayUrl}/admin/functions/${name}`;
  const fill = `${authorized} -X POST ${gatewayUrl}/room/bulk/`;
  const step = (purpose: string, statuses: readonly number[], ...commands: readonly string[]): Step => ({
    purpose,
    commands,
    statuses,
  });
  return [
    step("Check that the gateway is up", [200], `${curl} ${gatewayUrl}/public/health`),
    step("Get a token", [], tokenLine(tokenUrl)),
    step("Fill the pool, which continues in the background", [202], fill),
    step(
      "Create a room, which takes one from the pool; uuiData holds the service tag",
      [],
      `RESPONSE=$(curl -s -X POST -H "Authorization: Bearer $TOKEN" '${gatewayUrl}/room/create?uuiData=${uuiData}')`,
    ),
    step(
      "Show the response, and keep the room's name",
      [],
      `printf '%s\\n' "$RESPONSE"`,
      `ROOM=$(printf '%s\\n' "$RESPONSE" | ${field("name")})`,
    ),
    step(
      "Read the room in the constrained and in the full shape",
      [200, 200],
      `${authorized} ${room}`,
      `${authorized} "${gatewayUrl}/room/$ROOM?constrained_attributes=false"`,
    ),
    step(
      "Read the room as an agent's desktop does, without the host PIN",
      [200],
      `${curl} -H 'x-auth-token: ${identities.agentToken}' "${gatewayUrl}/public/room/$ROOM"`,
    ),
    step(
      "Change the room",
      [202],
      `${authorized} -X PATCH -H 'Content-Type: application/json' -d '{"participant_limit":4}' ${room}`,
    ),
    step("List all rooms", [200], `${authorized} ${gatewayUrl}/room/list`),
    step(
      "Start and end a conference on the platform, which sends an event to the gateway",
      [200, 204],
      conference("start"),
      conference("end"),
    ),
    step("Delete the room without waiting for the collector", [204], `${authorized} -X DELETE ${room}`),
    step(
      `Collect garbage now instead of in 10 minutes; rooms are deleted ${connection.garbageMinimumAgeSeconds} s after their end`,
      [202],
      fire("collectGarbage"),
    ),
    step(
      "Write a metrics row now, and show all rows",
      [202, 200],
      fire("collectMetrics"),
      `${curl} ${logWorkspaceUrl}/control/rows`,
    ),
    step("Delete all rooms and empty the pool", [204], `${authorized} -X DELETE ${gatewayUrl}/room/bulk/`),
    step("Fill the pool again", [202], fill),
  ];
}
