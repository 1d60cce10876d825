/** The whole life of a room, as curl lines for a POSIX shell, which `npm run demo` runs. */

import type { Connection } from "../../simulators/connection.ts";
import { encodeServiceTag, tokenLine } from "../../simulators/consumer.ts";
import { identities } from "../../simulators/identities.ts";

/**
 * Returns the script. Each step begins with a comment, which ends with the statuses of the responses that are shown.
 */
export function lifeOfRoom(connection: Connection): string {
  const { gatewayUrl, tokenUrl, platformControlUrl, logWorkspaceUrl, garbageMinimumAgeSeconds } = connection;
  const json = "-H 'Content-Type: application/json'";
  const bearer = '-H "Authorization: Bearer $TOKEN"';
  const curl = String.raw`curl -sSi -w '\n'`;
  const authorized = `${curl} ${bearer}`;
  const room = `"${gatewayUrl}/room/$ROOM"`;
  const conferences = `${platformControlUrl}/control/conferences`;
  const uuiData = encodeURIComponent(encodeServiceTag("https://verify.example.com/sessions/4711"));
  // Without npm start, the Core Tools run the app.
  const refusal = connection.app === undefined ? ", unless func start refuses the POST to /admin" : "";
  return String.raw`
# Check that the gateway is up (200)
${curl} ${gatewayUrl}/public/health

# Get a token
${tokenLine(tokenUrl)}

# Fill the pool, which continues in the background (202)
${authorized} -X POST ${gatewayUrl}/room/bulk/

# Create a room, with a service tag in uuiData: while the pool is empty, send the request again with the same key
KEY="tour-$(date +%s)"
RESPONSE=$(curl -sf --retry 30 --retry-delay 10 --retry-all-errors -X POST ${bearer} -H "Idempotency-Key: $KEY" '${gatewayUrl}/room/create?uuiData=${uuiData}')

# Show the response, and keep the room's name
printf '%s\n' "$RESPONSE"
ROOM=$(printf '%s\n' "$RESPONSE" | sed -n 's/.*"name":"\([^"]*\)".*/\1/p')

# Read the room in the constrained and in the full shape (200, 200)
${authorized} ${room}
${authorized} "${gatewayUrl}/room/$ROOM?constrained_attributes=false"

# Read the room as an agent's desktop does, without the host PIN (200)
${curl} -H 'x-auth-token: ${identities.agentToken}' "${gatewayUrl}/public/room/$ROOM"

# Change the room (202)
${authorized} -X PATCH ${json} -d '{"participant_limit":4}' ${room}

# List all rooms (200)
${authorized} ${gatewayUrl}/room/list

# Start and end a conference on the platform, which sends an event to the gateway (200, 204)
${curl} -d "{\"name\":\"$ROOM\"}" ${conferences}/start
${curl} -d "{\"name\":\"$ROOM\"}" ${conferences}/end

# Let the collector delete the room ${garbageMinimumAgeSeconds} s after its end: now, not within 10 minutes${refusal} (202, 404)
sleep ${garbageMinimumAgeSeconds + 1}
${curl} ${json} -d '{}' ${gatewayUrl}/admin/functions/collectGarbage
for TRY in 1 2 3 4 5 6 7 8 9; do curl -sf -o /dev/null ${bearer} ${room} || break; sleep 1; done
${authorized} ${room}

# Show the metrics rows (200)
${curl} ${logWorkspaceUrl}/control/rows

# Delete all rooms and empty the pool (204)
${authorized} -X DELETE ${gatewayUrl}/room/bulk/

# Fill the pool again (202)
${authorized} -X POST ${gatewayUrl}/room/bulk/
`;
}

/** Returns the steps of a script, or of its output, each from its title on. */
export function stepsIn(text: string): string[] {
  return text.split(/^# /m).slice(1);
}

/** Returns a line for each step whose title names other statuses than the output shows. */
export function failuresIn(script: string, output: string): string[] {
  const shown = stepsIn(output);
  return stepsIn(script).flatMap((step, index) => {
    const [title = ""] = step.split("\n");
    const [, expected = ""] = /\(([\d, ]+)\)$/.exec(title) ?? [];
    const statuses = (shown[index] ?? "").matchAll(/^HTTP\/1\.1 (\d+)/gm);
    const seen = Array.from(statuses, ([, status]) => status).join(", ");
    return seen === expected ? [] : [`FAIL ${title}: ${seen === "" ? "no response" : `status ${seen}`}`];
  });
}
