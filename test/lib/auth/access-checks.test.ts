/** Access checks as the settings define them: each kind of access accepts its own credentials only. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContactCentre, startContactCentre } from "../../../local/simulators/contact-centre.ts";
import { startTokenIssuer, type TokenIssuer } from "../../../local/simulators/identity/token-issuer.ts";
import { createAccessChecks } from "../../../src/lib/auth/access-checks.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { loadSettings } from "../../../src/lib/settings/load-settings.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";
import { createRecordingLog } from "../../support/recording-log.ts";

const clientId = "22222222-2222-4222-8222-222222222222";
const tenantId = "11111111-1111-4111-8111-111111111111";
const agent = {
  token: "agent-token",
  id: "44444444-4444-4444-8444-444444444444",
  name: "Test Agent",
  divisionId: "55555555-5555-4555-8555-555555555555",
  divisionName: "SBC",
  state: "active" as const,
};

let issuer: TokenIssuer;
let centre: ContactCentre;
let checks: ReturnType<typeof createAccessChecks>;
beforeAll(async () => {
  issuer = await startTokenIssuer({ tenantId, clients: [] });
  centre = await startContactCentre({ users: [agent] });
  const settings = loadSettings({
    ...exampleEnvironment,
    AUTH_AUTHORITY: issuer.url,
    CONTACT_CENTRE_API_URL: centre.url,
    EVENT_SINK_PREVIOUS_USERNAME: "old-sink",
    EVENT_SINK_PREVIOUS_PASSWORD: "old-password",
  });
  checks = createAccessChecks(settings, systemClock);
});
afterAll(async () => {
  await Promise.all([issuer.stop(), centre.stop()]);
});

const check = async (access: keyof typeof checks, headers: Record<string, string>) =>
  checks[access](new Headers(headers), createRecordingLog());
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString("base64")}`;

test("accepts a bearer token of the tenant for `application`, and no contact-centre token", async () => {
  await expect(
    check("application", { authorization: `Bearer ${issuer.issueToken(clientId)}` }),
  ).resolves.toEqual({ kind: "application", id: clientId });
  await expect(check("application", { "x-auth-token": agent.token })).rejects.toMatchObject({
    status: 401,
  });
});

test("accepts a contact-centre token in X-Auth-Token for `agent`, and no bearer token", async () => {
  await expect(check("agent", { "x-auth-token": agent.token })).resolves.toEqual({ kind: "agent" });
  const bearer = { authorization: `Bearer ${issuer.issueToken(clientId)}` };
  await expect(check("agent", bearer)).rejects.toMatchObject({ status: 401 });
});

test("accepts the current and the previous pair of credentials for `event-sink`, and no mix of them", async () => {
  for (const [pair, credentials] of [
    ["sink:sink-password-7d1e", "current"],
    ["old-sink:old-password", "previous"],
  ] as const) {
    await expect(check("event-sink", { authorization: basic(pair) })).resolves.toEqual({
      kind: "event-sink",
      credentials,
    });
  }
  await expect(check("event-sink", { authorization: basic("sink:old-password") })).rejects.toMatchObject({
    status: 401,
  });
});

test("accepts a request without credentials for `anyone`", async () => {
  await expect(check("anyone", {})).resolves.toEqual({ kind: "anyone" });
});

describe("with the secret of API Management", () => {
  const secret = "a-secret-of-api-management";
  const guarded = () =>
    createAccessChecks(
      loadSettings({
        ...exampleEnvironment,
        AUTH_AUTHORITY: issuer.url,
        CONTACT_CENTRE_API_URL: centre.url,
        API_MANAGEMENT_SECRET: secret,
      }),
      systemClock,
    );
  const valid = (): Record<string, Record<string, string>> => ({
    application: { authorization: `Bearer ${issuer.issueToken(clientId)}` },
    agent: { "x-auth-token": agent.token },
    "event-sink": { authorization: basic("sink:sink-password-7d1e") },
  });
  const kinds = ["application", "agent", "event-sink"] as const;

  test.each(kinds)("accepts valid credentials of `%s` with the secret", async (kind) => {
    const headers = new Headers({ ...valid()[kind], "x-api-management-secret": secret });
    await expect(guarded()[kind](headers, createRecordingLog())).resolves.toMatchObject({ kind });
  });

  test.each(
    kinds.flatMap((kind) => [undefined, "", "wrong", `${secret}x`].map((given) => [kind, given] as const)),
  )("refuses valid credentials of `%s` with the secret %s", async (kind, given) => {
    const headers = new Headers({
      ...valid()[kind],
      ...(given !== undefined && { "x-api-management-secret": given }),
    });
    await expect(guarded()[kind](headers, createRecordingLog())).rejects.toMatchObject({
      code: "forbidden",
      status: 403,
    });
  });

  test("lets `anyone` in without the secret", async () => {
    await expect(guarded().anyone(new Headers(), createRecordingLog())).resolves.toEqual({ kind: "anyone" });
  });
});
