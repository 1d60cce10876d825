/** The parameter files: what azd asks for is what main.bicepparam reads, and no environment has another one's ids. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deployWith } from "../support/infra/bicep/deployment.ts";
import { settingNames } from "../support/infra/code-facts.ts";
import { environmentNames, environments, onlyOf, propertiesOf } from "../support/infra/environments.ts";

const file = join("infra", "main.bicepparam");

/** The values that a person gives to azd, and those that azd knows itself. */
const given: Readonly<Record<string, string>> = {
  AZURE_ENV_NAME: "try",
  AZURE_LOCATION: "northeurope",
  ENVIRONMENT_GROUP: "test",
  PLATFORM_URL: "https://platform.example.com",
  PLATFORM_USERNAME: "vmr-gateway",
  ROOM_TEMPLATE: '{"participant_limit":10,"aliases":["a,b"]}',
  MAX_VMR: "10",
  POOL_MINIMUM: "5",
  CONTACT_CENTRE_API_URL: "https://api.mypurecloud.de",
  CONTACT_CENTRE_DIVISION_IDS: "division",
  EVENT_SINK_USERNAME: "platform",
  AUTH_TENANT_ID: "tenant",
  AUTH_AUDIENCES: "one,two",
  AUTH_CLIENT_IDS: "three,four",
  PUBLISHER_NAME: "Team",
  PUBLISHER_EMAIL: "team@example.com",
  WIDGET_ORIGINS: "https://one.example.com,https://two.example.com",
  URGENT_EMAILS: "urgent@example.com",
  ROUTINE_EMAILS: "routine@example.com",
};
const optional: Readonly<Record<string, string>> = {
  PLATFORM_OAUTH_CLIENT_ID: "client",
  SERVICE_TAG_BASE_URL: "https://verify.example.com/",
  EVENT_SINK_PREVIOUS_USERNAME: "before",
  PRIVATE_NETWORK: "true",
  FIXED_OUTBOUND_ADDRESS: "true",
  STORAGE_SKU: "Standard_LRS",
  API_MANAGEMENT: "new",
  ALERTS: "true",
  REQUIRE_API_MANAGEMENT_SECRET: "true",
  AZURE_PRINCIPAL_ID: "person",
};

describe("main.bicepparam", () => {
  it("Reads these variables and no others", () => {
    const read = [...readFileSync(file, "utf8").matchAll(/readEnvironmentVariable\('(\w+)'/g)].map(
      ([, name]) => name,
    );
    expect(new Set(read)).toEqual(new Set([...Object.keys(given), ...Object.keys(optional)]));
  });

  it("Gives a cheap environment without API Management and alerts if nothing else is said", () => {
    const { parameters } = deployWith(file, given);
    expect(parameters).toMatchObject({
      environmentName: "try",
      environmentGroup: "test",
      location: "northeurope",
      authAudiences: ["one", "two"],
      authClientIds: ["three", "four"],
      widgetOrigins: ["https://one.example.com", "https://two.example.com"],
      apiManagement: "none",
      alerts: false,
      privateNetwork: false,
      fixedOutboundAddress: false,
      requireApiManagementSecret: false,
      storageSku: "Standard_ZRS",
      secretOfficerPrincipalId: "",
      secretOfficerPrincipalType: "User",
    });
  });

  it("Hands every value on to the app", () => {
    const all = { ...given, ...optional };
    const ofTheApp = Object.entries(all).filter(([name]) => settingNames.includes(name));
    const settings = propertiesOf(onlyOf(deployWith(file, all), "appSettings"));
    expect(settings).toMatchObject(Object.fromEntries(ofTheApp));
    expect(ofTheApp).toHaveLength(14);
  });

  it("Hands every choice on to the infrastructure", () => {
    expect(deployWith(file, { ...given, ...optional }).parameters).toMatchObject({
      privateNetwork: true,
      fixedOutboundAddress: true,
      storageSku: "Standard_LRS",
      apiManagement: "new",
      alerts: true,
      requireApiManagementSecret: true,
      secretOfficerPrincipalId: "person",
      publisherName: "Team",
      publisherEmail: "team@example.com",
      urgentEmails: ["urgent@example.com"],
      routineEmails: ["routine@example.com"],
    });
  });

  it.each(Object.keys(given).filter((name) => name !== "PLATFORM_USERNAME"))("Needs %s", (name) => {
    const { [name]: _left, ...others } = given;
    expect(() => deployWith(file, others)).toThrow(name);
  });

  it("Needs only what the hook asks for or azd itself gives", () => {
    const hook = readFileSync(join("infra", "hooks", "check-values.sh"), "utf8");
    const asked = [...hook.matchAll(/^(?:values=')?([A-Z_]+)\|/gm)].map(([, name]) => name ?? "");
    const ofAzd = ["AZURE_ENV_NAME", "AZURE_LOCATION"];
    expect([...asked, ...ofAzd, "PLATFORM_USERNAME"].toSorted()).toEqual(Object.keys(given).toSorted());
  });
});

describe.each(environmentNames)("The parameters of %s", (name) => {
  it("Are made up: every id is one of the example ids", () => {
    const text = JSON.stringify(environments[name].parameters);
    const ids = text.match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [];
    expect(ids.length).toBeGreaterThanOrEqual(5);
    expect(ids.filter((id) => !id.startsWith("00000000-0000-4000-8000-"))).toEqual([]);
  });

  it("Share no client, tenant or division with another environment", () => {
    const idsOf = (environment: (typeof environmentNames)[number]): string[] => {
      const { authTenantId, authClientIds, authAudiences, settings } = environments[environment].parameters;
      const { CONTACT_CENTRE_DIVISION_IDS: divisions } = Object(settings);
      return [authTenantId, authClientIds, authAudiences, divisions].flat().map(String);
    };
    const others = environmentNames.filter((other) => other !== name).flatMap(idsOf);
    expect(idsOf(name).filter((id) => others.includes(id))).toEqual([]);
  });

  it("Name the group of the file", () => {
    expect(environments[name].parameters["environmentGroup"]).toBe(name);
    expect(readdirSync(join("infra", "environments"))).toContain(`${name}.bicepparam`);
  });
});
