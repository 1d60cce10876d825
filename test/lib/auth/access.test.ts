/** Access checks: roles, and the sink's credentials, of which both pairs count during a rotation. */
import { describe, expect, test } from "vitest";
import { createAccessChecks } from "../../../src/lib/auth/access.ts";
import { createAdapters } from "../../../src/lib/dependencies.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { createMemoryGateway } from "../../../tools/simulators/memory/gateway.ts";
import { startTokenIssuer } from "../../../tools/simulators/services/token-issuer.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";
import { usePoolWorld } from "../../support/pool-world.ts";
import { createRecordingLog } from "../../support/recording-log.ts";
import { useStarted } from "../../support/use-started.ts";

const issuer = useStarted(startTokenIssuer);

describe("If one role is required of callers and another of administrators,", () => {
  const required = "Rooms.Manage";
  const administrator = "Rooms.Administer";
  const world = usePoolWorld();

  test.each([
    { name: "listRooms", which: "the required role", roles: [required], status: 403 },
    { name: "listRooms", which: "the administrator's role", roles: [administrator], status: 403 },
    { name: "listRooms", which: "both roles", roles: [required, administrator], status: 200 },
    { name: "bulkDeleteRooms", which: "the required role", roles: [required], status: 403 },
    { name: "bulkDeleteRooms", which: "both roles", roles: [required, administrator], status: 204 },
    { name: "bulkCreateRooms", which: "the required role", roles: [required], status: 202 },
    { name: "getRoom", which: "the required role", roles: [required], status: 404 },
  ])("`$name` with $which results in $status", async ({ name, roles, status }) => {
    const settings = loadSettings({
      ...exampleEnvironment,
      AUTH_AUTHORITY: issuer.url,
      AUTH_REQUIRED_ROLE: required,
      AUTH_ADMINISTRATOR_ROLE: administrator,
    });
    const { accessChecks } = createAdapters(settings);
    const { call } = createMemoryGateway(world, { adapters: { accessChecks } });
    const authorization = `Bearer ${issuer.issueToken({ claims: { roles } })}`;
    expect(await call(name, { roomName: "nobody", headers: { authorization } })).toMatchObject({ status });
  });
});

const unused = async () => Promise.reject(new Error("not of this kind"));

test("Each check gets its own header; that of an application returns its ID, and that of an agent no name", async () => {
  const agentTokens: unknown[] = [];
  const { application, agent } = createAccessChecks({
    checkBearer: async (authorization, _log, isAdministrator) => `${authorization}, ${isAdministrator}`,
    checkAgent: async (token) => void agentTokens.push(token),
    eventSink: [],
  });
  const log = createRecordingLog();
  const headers = new Headers({ authorization: "Bearer application", "x-auth-token": "agent" });
  const id = "Bearer application, true";
  await expect(application(headers, log, true)).resolves.toEqual({ kind: "application", id });
  await expect(agent(headers, log)).resolves.toEqual({ kind: "agent" });
  expect(agentTokens).toEqual(["agent"]);
});

const basic = (text: string, encoding: "base64" | "base64url" = "base64") =>
  `Basic ${Buffer.from(text).toString(encoding)}`;
// Its bytes are encoded as + and /, or as - and _.
const third = "old-sink:~~~???>>>";

const [current, previous] = ["current", "previous"].map((credentials) => ({
  kind: "event-sink",
  credentials,
}));
const [byCredentials, byPassword] = ["credentials", "password"].map((reason) => {
  const details = { challenge: 'Basic realm="vmr-gateway", charset="UTF-8"', reason };
  return expect.objectContaining({ code: "unauthenticated", status: 401, details });
});

test.each([
  ["the current pair", basic("sink:päss:word 1"), current],
  ["a previous pair", basic("older-sink:x"), previous],
  ["the scheme in mixed case", basic("older-sink:x").replace("Basic", "bAsIc"), previous],
  ["a pair surrounded by spaces", `${basic("older-sink:x").replace(" ", "   ")}  `, previous],
  ["base64", basic(third), previous],
  ["base64 for URLs", basic(third, "base64url"), previous],
  ["an empty header", "", byCredentials],
  ["no colon", basic("sink"), byCredentials],
  ["text before the scheme", `x ${basic("older-sink:x")}`, byCredentials],
  ["text after the credentials", `${basic("older-sink:x")} x`, byCredentials],
  ["a user name in another case", basic("Sink:päss:word 1"), byCredentials],
  ["another scheme", basic("older-sink:x").replace("Basic", "Bearer"), byCredentials],
  ["credentials without base64", "Basic older-sink:x", byCredentials],
  ["the name of one pair with the password of another", basic("sink:x"), byPassword],
  ["a password with a colon", basic("sink:päss:word:1"), byPassword],
  ["a longer password", basic("sink:päss:word 11"), byPassword],
  ["a previous name without a password", basic("older-sink:"), byPassword],
])(
  "HTTP Basic with %s is accepted or refused, with the reason for the log",
  async (_, authorization, outcome) => {
    const eventSink = [
      { username: "sink", password: "päss:word 1" },
      { username: "older-sink", password: "x" },
      { username: "old-sink", password: "~~~???>>>" },
    ];
    const checks = createAccessChecks({ checkBearer: unused, checkAgent: unused, eventSink });
    const headers = { get: (name: string) => (name === "authorization" ? authorization : null) };
    const checked = checks["event-sink"](headers, createRecordingLog());
    expect(await checked.catch((error: unknown) => error)).toEqual(outcome);
  },
);
