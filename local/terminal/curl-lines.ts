/** Ready-to-paste curl lines for the whole life of a room. */
import { tokenForm } from "../gateway/access-token.ts";
import type { Connection } from "../gateway/connection.ts";
import { identities } from "../gateway/identities.ts";
import { encodeServiceTag } from "../gateway/service-tag.ts";

export interface CurlLine {
  /** What the line does. */
  readonly purpose: string;
  /** For a POSIX shell. The first one sets TOKEN, and the one that creates a room sets ROOM, for those after it. */
  readonly command: string;
}

/** The lines in the order of a room's life; each works as it stands when those before it were pasted. */
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
    line("See that the gateway answers", `${curl} ${gatewayUrl}/public/health`),
    line("Get a token", `TOKEN=$(curl -s ${form.join(" ")} ${tokenUrl} | ${field("access_token")})`),
    line("Fill the pool (202; in the background)", `${authorized} -X POST ${gatewayUrl}/room/bulk/`),
    line(
      "Create a room, that is, get one from the pool; uuiData holds its service tag",
      `ANSWER=$(curl -s -X POST -H "Authorization: Bearer $TOKEN" '${gatewayUrl}/room/create?uuiData=${uuiData}')`,
    ),
    line("See the answer, and keep the name", `printf '%s\\n' "$ANSWER"`),
    line("", `ROOM=$(printf '%s\\n' "$ANSWER" | ${field("name")})`),
    line("Read it, constrained and in full", `${authorized} ${room}`),
    line("", `${authorized} "${gatewayUrl}/room/$ROOM?constrained_attributes=false"`),
    line(
      "Read it as the agent's desktop does (no host PIN)",
      `${curl} -H 'x-auth-token: ${identities.agentToken}' "${gatewayUrl}/public/room/$ROOM"`,
    ),
    line(
      "Change it (202)",
      `${authorized} -X PATCH -H 'Content-Type: application/json' -d '{"participant_limit":4}' ${room}`,
    ),
    line("List all rooms", `${authorized} ${gatewayUrl}/room/list`),
    line(
      "Let the platform hold a conference in it, and end it: an event reaches the gateway",
      conference("start"),
    ),
    line("", conference("end")),
    line(
      `Collect garbage now, not in 10 minutes (202); the room goes ${connection.garbageMinimumAgeSeconds} seconds after its end`,
      fire("collectGarbage"),
    ),
    line("Write a metrics row now (202), and see all rows", fire("collectMetrics")),
    line("", `${curl} ${logWorkspaceUrl}/control/rows`),
    line("Delete the room at once (204, or 404 when it was collected)", `${authorized} -X DELETE ${room}`),
    line("Delete all rooms and empty the pool (204)", `${authorized} -X DELETE ${gatewayUrl}/room/bulk/`),
  ];
}

function line(purpose: string, command: string): CurlLine {
  return { purpose, command };
}
