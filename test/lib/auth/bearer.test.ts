/** Bearer tokens of a real issuer: accepted, forbidden and invalid ones. */
import { expect, test } from "vitest";
import { type BearerRules, createBearerCheck } from "../../../src/lib/auth/bearer.ts";
import { createSigningKeys } from "../../../src/lib/auth/signing-keys.ts";
import { systemClock } from "../../../src/lib/ports.ts";
import { identities } from "../../../tools/simulators/identities.ts";
import { startTokenIssuer } from "../../../tools/simulators/services/token-issuer.ts";
import { refusedTokens } from "../../support/credentials.ts";
import { createRecordingLog } from "../../support/recording-log.ts";
import { useStarted } from "../../support/use-started.ts";

const { tenantId, clientId } = identities;
const keys = useStarted(async () => {
  const issuer = await startTokenIssuer();
  return {
    issuer,
    ...createSigningKeys({ authority: issuer.url, tenantId }, systemClock),
    stop: issuer.stop,
  };
});
const issue = (claims: Record<string, unknown> = {}) => keys.issuer.issueToken({ claims });
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

type Changes = Partial<BearerRules>;
const check = async (authorization: string | null, changes: Changes = {}) => {
  const audiences = [`api://${clientId}`, clientId];
  const rules = { tenantId, audiences, clientIds: ["88888888-8888-4888-8888-888888888888", clientId] };
  return createBearerCheck({ ...rules, ...changes }, keys)(authorization, createRecordingLog());
};
const needsRole = { requiredRole: "Rooms.Manage" };

test.each<[string, () => string, Changes?]>([
  ["of version 1", () => keys.issuer.issueToken({ version: 1 }), { audiences: [`api://${clientId}`] }],
  ["of version 2", () => keys.issuer.issueToken({ version: 2 }), { audiences: [clientId] }],
  ["with several audiences that include ours", () => issue({ aud: ["https://api.example.com", clientId] })],
  ["of the type `app`", () => issue({ idtyp: "app" })],
  ["without a tenant claim, because the issuer names the tenant", () => issue({ tid: undefined })],
  ["with the required role", () => issue({ roles: ["Rooms.Read", "Rooms.Manage"] }), needsRole],
  [
    "of a tenant whose ID the settings have in capital letters",
    () => issue({ tid: "aaaaaaaa-1111-4111-8111-111111111111" }),
    { tenantId: "AAAAAAAA-1111-4111-8111-111111111111" },
  ],
  ["that has expired within the tolerance of a minute", () => issue({ exp: inSeconds(-30) })],
  ["of almost 16,384 characters", () => issue({ groups: "x".repeat(11_400) })],
])("The check accepts a token %s", async (_, make, changes) => {
  const token = make();
  expect(token.length).toBeLessThanOrEqual(16_384);
  await expect(check(`bearer   ${token}  `, changes)).resolves.toBe(clientId);
});

test("The settings may have the ID of a client in capital letters", async () => {
  const client = "aaaaaaaa-3333-4333-8333-333333333333";
  const token = issue({ azp: client });
  await expect(check(`Bearer ${token}`, { clientIds: [client.toUpperCase()] })).resolves.toBe(client);
});

const forbidden = expect.objectContaining({
  code: "forbidden",
  details: expect.objectContaining({ reason: "role" }),
});
const administratorRole = "Rooms.Administer";
test.each<[string, string[] | undefined, boolean, string | undefined, unknown]>([
  ["accepted without a role if none is set", undefined, true, undefined, clientId],
  ["accepted with the role", [administratorRole], true, administratorRole, clientId],
  ["refused with another role", ["Rooms.Manage"], true, administratorRole, forbidden],
  ["accepted without the role for other operations", undefined, false, administratorRole, clientId],
])("An administrator's token is %s", async (_, roles, needsAdministrator, role, expected) => {
  const rules = { tenantId, audiences: [clientId], clientIds: [clientId], administratorRole: role };
  const authorization = `Bearer ${issue({ aud: clientId, roles })}`;
  const checked = createBearerCheck(rules, keys)(authorization, createRecordingLog(), needsAdministrator);
  await expect(checked.catch((error: unknown) => error)).resolves.toEqual(expected);
});

test.each([
  [null],
  [""],
  ["Bearer "],
  ["Basic dXNlcjpwYXNz"],
  ["Bearer two words"],
  ["Bearer Bearer token"],
  ["x Bearer token"],
  ["aaaa.bbbb.cccc"],
])("The check throws 401 without an error code if there is no token: `%s`", async (header) => {
  const details = { challenge: 'Bearer realm="vmr-gateway"', reason: "no-token" };
  await expect(check(header)).rejects.toMatchObject({ code: "unauthenticated", status: 401, details });
});

test.each<[string, string, () => string, Changes?]>([
  ...Object.entries(refusedTokens).map(([name, [reason, make]]): [string, string, () => string] => [
    name,
    reason,
    () => make(keys.issuer),
  ]),
  ["with other roles", "role", () => issue({ roles: ["Rooms.Manage.All", "rooms.manage"] }), needsRole],
  ["without roles", "role", issue, needsRole],
  ["of slightly more than 16,384 characters", "malformed", () => issue({ groups: "x".repeat(11_600) })],
])(
  "A token %s is refused, and only the log has the reason, which is %s",
  async (_, reason, make, changes) => {
    const token = make();
    const isKnownCaller = reason === "client" || reason === "role";
    const challenge = `Bearer realm="vmr-gateway", error="${isKnownCaller ? "insufficient_scope" : "invalid_token"}"`;
    const [code, status] = isKnownCaller ? ["forbidden", 403] : ["unauthenticated", 401];
    const error: unknown = await check(`Bearer ${token}`, changes).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, status, details: { reason, challenge } });
    for (const part of token.split(".").filter(Boolean)) expect(JSON.stringify(error)).not.toContain(part);
  },
);

test("The error of an expired token has the library's error as its cause, for the log", async () => {
  const cause = expect.objectContaining({ name: "TokenExpiredError" });
  await expect(check(`Bearer ${issue({ exp: 1 })}`)).rejects.toMatchObject({ cause });
});
