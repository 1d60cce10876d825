/** Access checks as the settings define them: each kind of access accepts its own credentials only. */
import { describe, expect, test } from "vitest";
import { createAccessChecks } from "../../../src/lib/auth/access-checks.ts";
import { systemClock } from "../../../src/lib/ports.ts";
import { loadSettings } from "../../../src/lib/settings/load-settings.ts";
import { startContactCentre } from "../../../tools/local/simulators/contact-centre.ts";
import { startTokenIssuer } from "../../../tools/local/simulators/identity/token-issuer.ts";
import { contactCentreUsers, identities, tenant } from "../../../tools/local/stack/identities.ts";
import { asAgent, asEventSink } from "../../support/credentials.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";
import { createRecordingLog } from "../../support/recording-log.ts";
import { useStarted } from "../../support/use-started.ts";

const { clientId } = identities;
const issuer = useStarted(async () => startTokenIssuer(tenant));
const centre = useStarted(async () => startContactCentre({ users: contactCentreUsers }));

type Kind = keyof ReturnType<typeof createAccessChecks>;
const check = async (access: Kind, headers: Record<string, string>, more: Record<string, string> = {}) => {
  const settings = loadSettings({
    ...exampleEnvironment,
    AUTH_AUTHORITY: issuer.url,
    CONTACT_CENTRE_API_URL: centre.url,
    CONTACT_CENTRE_DIVISION_IDS: identities.divisionId,
    EVENT_SINK_PREVIOUS_USERNAME: "old-sink",
    EVENT_SINK_PREVIOUS_PASSWORD: "old-password",
    ...more,
  });
  return createAccessChecks(settings, systemClock)[access](new Headers(headers), createRecordingLog());
};
const asApplication = () => ({ authorization: `Bearer ${issuer.issueToken(clientId)}` });
const asSink = asEventSink("sink", "sink-password-7d1e");
const asPreviousSink = asEventSink("old-sink", "old-password");

test.each<[Kind, string, () => Record<string, string>, object]>([
  ["application", "a bearer token of the tenant", asApplication, { kind: "application", id: clientId }],
  ["agent", "a contact-centre token in X-Auth-Token", () => asAgent, { kind: "agent" }],
  ["event-sink", "the current pair", () => asSink, { kind: "event-sink", credentials: "current" }],
  ["event-sink", "the previous pair", () => asPreviousSink, { kind: "event-sink", credentials: "previous" }],
  ["anyone", "a request without credentials", () => ({}), { kind: "anyone" }],
])("The check of `%s` accepts %s", async (access, _, headers, caller) => {
  await expect(check(access, headers())).resolves.toEqual(caller);
});

test.each<[Kind, string, () => Record<string, string>]>([
  ["application", "a contact-centre token", () => asAgent],
  ["agent", "a bearer token", asApplication],
  ["event-sink", "a mix of both pairs", () => asEventSink("sink", "old-password")],
])("The check of `%s` throws 401 for %s", async (access, _, headers) => {
  await expect(check(access, headers())).rejects.toMatchObject({ status: 401 });
});

describe("With the secret of API Management", () => {
  const secret = "a-secret-of-api-management";
  const guarded = async (access: Kind, headers: Record<string, string>) =>
    check(access, headers, { API_MANAGEMENT_SECRET: secret });
  const kinds = ["application", "agent", "event-sink"] as const;
  const valid = (kind: (typeof kinds)[number]): Record<string, string> =>
    ({ application: asApplication(), agent: asAgent, "event-sink": asSink })[kind];

  test.each(kinds)("the check of `%s` accepts valid credentials with the secret", async (kind) => {
    const headers = { ...valid(kind), "x-api-management-secret": secret };
    await expect(guarded(kind, headers)).resolves.toMatchObject({ kind });
  });

  test.each(
    kinds.flatMap((kind) => [undefined, "", "wrong", `${secret}x`].map((given) => [kind, given] as const)),
  )("the check of `%s` throws 403 for valid credentials with the secret %s", async (kind, given) => {
    const sent = given === undefined ? {} : { "x-api-management-secret": given };
    const refused = guarded(kind, { ...valid(kind), ...sent });
    await expect(refused).rejects.toMatchObject({ code: "forbidden", status: 403 });
  });

  test("the check of `anyone` accepts a request without the secret", async () => {
    await expect(guarded("anyone", {})).resolves.toEqual({ kind: "anyone" });
  });
});
