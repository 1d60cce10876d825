/** The whole life of a room, as curl lines that can be pasted and are run by `npm run demo`. */

import type { Connection } from "../../simulators/connection.ts";
import { encodeServiceTag } from "../../simulators/consumer.ts";
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
  const { gatewayUrl, tokenUrl, platformControlUrl, logWorkspaceUrl, garbageMinimumAgeSeconds } = connection;
  const bearer = '-H "Authorization: Bearer $TOKEN"';
  const curl = "curl -sSi -w '\\n'";
  const authorized = `${curl} ${bearer}`;
  const room = `"${gatewayUrl}/room/$ROOM"`;
  const uuiData = encodeServiceTag("https://verify.example.com/sessions/4711");
  const conference = (action: string): string =>
    `${curl} -d "{\\"name\\":\\"$ROOM\\"}" ${platformControlUrl}/control/conferences/${action}`;
  const fill = `${authorized} -X POST ${gatewayUrl}/room/bulk/`;
  // Without npm start, the Core Tools run the app.
  const note = connection.app === undefined ? " (func start can refuse the POST to /admin)" : "";
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
      "Create a room, which takes one from the pool: while it is empty, ask again with the same key; uuiData holds the service tag",
      [],
      'KEY="tour-$(date +%s)"',
      `RESPONSE=$(curl -sf --retry 30 --retry-delay 10 --retry-all-errors -X POST ${bearer} -H "Idempotency-Key: $KEY" ` +
        `'${gatewayUrl}/room/create?uuiData=${uuiData}')`,
    ),
    step(
      "Show the response, and keep the room's name",
      [],
      `printf '%s\\n' "$RESPONSE"`,
      `ROOM=$(printf '%s\\n' "$RESPONSE" | sed -n 's/.*"name":"\\([^"]*\\)".*/\\1/p')`,
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
    step(
      `Let the collector delete the room: ${garbageMinimumAgeSeconds} s after its end, now instead of within 10 minutes${note}`,
      [202, 404],
      `sleep ${garbageMinimumAgeSeconds + 1}`,
      `${curl} -H 'Content-Type: application/json' -d '{}' ${gatewayUrl}/admin/functions/collectGarbage`,
      `for TRY in 1 2 3 4 5 6 7 8 9; do curl -sf -o /dev/null ${bearer} ${room} || break; sleep 1; done`,
      `${authorized} ${room}`,
    ),
    step("Show the metrics rows", [200], `${curl} ${logWorkspaceUrl}/control/rows`),
    step("Delete all rooms and empty the pool", [204], `${authorized} -X DELETE ${gatewayUrl}/room/bulk/`),
    step("Fill the pool again", [202], fill),
  ];
}

/** Returns a line for each step whose statuses in the output, which shows each purpose after `#`, are not those expected. */
export function failuresIn(steps: readonly Step[], output: string): string[] {
  const [, ...shown] = output.split(/^# /m);
  return steps.flatMap(({ purpose, statuses }, index) => {
    const seen = Array.from((shown[index] ?? "").matchAll(/^HTTP\/1\.1 (\d+)/gm), ([, status]) =>
      Number(status),
    );
    return seen.join() === statuses.join()
      ? []
      : [`FAIL ${purpose}: status ${seen.join(", ") || "missing"} instead of ${statuses.join(", ")}`];
  });
}
