/** Access checks: each kind accepts its own credentials only, and the sink both pairs during a rotation. */
import { describe, expect, test } from "vitest";
import { createAccessChecks } from "../../../src/lib/auth/access.ts";
import { createAdapters } from "../../../src/lib/dependencies.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { startContactCentre } from "../../../tools/simulators/contact-centre.ts";
import { contactCentreUsers, identities, tenant } from "../../../tools/simulators/identities.ts";
import { startTokenIssuer } from "../../../tools/simulators/token-issuer.ts";
import { asAgent, asEventSink } from "../../support/credentials.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";
import { createRecordingLog } from "../../support/recording-log.ts";
import { useStarted } from "../../support/use-started.ts";

const { clientId } = identities;
const issuer = useStarted(async () => startTokenIssuer(tenant));
const centre = useStarted(async () => startContactCentre({ users: contactCentreUsers }));

type Kind = keyof ReturnType<typeof createAccessChecks>;
const check = async (access: Kind, headers: Record<string, string>) => {
  const settings = loadSettings({
    ...exampleEnvironment,
    AUTH_AUTHORITY: issuer.url,
    CONTACT_CENTRE_API_URL: centre.url,
    CONTACT_CENTRE_DIVISION_IDS: identities.divisionId,
  });
  return createAdapters(settings).accessChecks[access](new Headers(headers), createRecordingLog());
};
const asApplication = () => ({ authorization: `Bearer ${issuer.issueToken(clientId)}` });
const asSink = asEventSink("sink", "sink-password-7d1e");

test.each<[Kind, string, () => Record<string, string>, object]>([
  ["application", "a bearer token of the tenant", asApplication, { kind: "application", id: clientId }],
  ["agent", "a contact-centre token in X-Auth-Token", () => asAgent, { kind: "agent" }],
  ["event-sink", "its HTTP Basic", () => asSink, { kind: "event-sink", credentials: "current" }],
  ["anyone", "a request without credentials", () => ({}), { kind: "anyone" }],
])("The check of `%s` accepts %s", async (access, _, headers, caller) => {
  await expect(check(access, headers())).resolves.toEqual(caller);
});

test.each<[Kind, string, () => Record<string, string>]>([
  ["application", "a contact-centre token", () => asAgent],
  ["agent", "a bearer token", asApplication],
  ["event-sink", "a bearer token", asApplication],
])("The check of `%s` throws 401 for %s", async (access, _, headers) => {
  await expect(check(access, headers())).rejects.toMatchObject({ status: 401 });
});

describe("HTTP Basic", () => {
  const current = { username: "sink", password: "päss:word 1" };
  const previous = { username: "old-sink", password: "x" };
  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
  const checkBasic = async (authorization: string, eventSink = [current, previous]) => {
    const unused = async () => Promise.reject(new Error("not the event sink"));
    const rules = { checkBearer: unused, checkAgent: unused, eventSink };
    const headers = { get: () => authorization };
    return createAccessChecks(rules)["event-sink"](headers, createRecordingLog());
  };
  const refused = (reason: string) => ({
    code: "unauthenticated",
    status: 401,
    details: { challenge: 'Basic realm="vmr-gateway", charset="UTF-8"', reason },
  });

  test.each([
    ["the current pair", basic("sink:päss:word 1"), "current"],
    ["the previous pair", basic("old-sink:x"), "previous"],
    ["the scheme in mixed case", basic("old-sink:x").replace("Basic", "bAsIc"), "previous"],
    ["a pair surrounded by spaces", `${basic("old-sink:x").replace(" ", "   ")}  `, "previous"],
  ])("accepts %s and returns which pair it is", async (_, authorization, credentials) => {
    expect(await checkBasic(authorization)).toEqual({ kind: "event-sink", credentials });
  });

  test.each([
    ["an empty header", ""],
    ["no colon", basic("sink")],
    ["text before the scheme", `x ${basic("old-sink:x")}`],
    ["text after the credentials", `${basic("old-sink:x")} x`],
    ["a user name in another case", basic("Sink:päss:word 1")],
    ["another scheme", `Bearer ${Buffer.from("old-sink:x").toString("base64")}`],
    ["credentials without base64", "Basic old-sink:x"],
  ])("refuses %s", async (_, authorization) => {
    await expect(checkBasic(authorization)).rejects.toMatchObject(refused("credentials"));
  });

  test.each([
    ["the name of one pair with the password of the other", basic("sink:x")],
    ["a longer password", basic("sink:päss:word 11")],
    ["the previous name with another password", basic("old-sink:")],
  ])("refuses %s, and logs that the name is an accepted one", async (_, authorization) => {
    await expect(checkBasic(authorization)).rejects.toMatchObject(refused("password"));
  });

  test("accepts both alphabets of base64", async () => {
    // These bytes are encoded as + and /, or as - and _.
    const pair = { username: "sink", password: "~~~???>>>" };
    for (const encoding of ["base64", "base64url"] as const) {
      const encoded = Buffer.from("sink:~~~???>>>").toString(encoding);
      await expect(checkBasic(`Basic ${encoded}`, [pair])).resolves.toBeDefined();
    }
  });

  test("refuses every caller if no pair is configured", async () => {
    await expect(checkBasic(basic(":"), [])).rejects.toMatchObject(refused("credentials"));
  });
});
