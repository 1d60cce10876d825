/** The alert rules: window, severity, receivers and threshold of each, and who is told how. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { parse } from "node:path";
import { describe, expect, it } from "vitest";
import {
  allOf,
  bodyOf,
  deployedWith,
  environments,
  onlyOf,
  propertiesOf,
} from "../support/infra/environments.ts";

type Expected = readonly [threshold: number, minutes: number, severity: number, group: "urgent" | "routine"];

/** Severity 0 and 1 wake people: callers are turned away, or nobody is watching. */
const expected: Readonly<Record<string, Expected>> = {
  "pool-low": [20, 15, 2, "routine"],
  "pool-empty-on-claim": [1, 15, 1, "urgent"],
  "provisioning-failing": [5, 15, 2, "routine"],
  "poison-messages": [1, 15, 3, "routine"],
  "deletion-queue-old": [3600, 15, 2, "routine"],
  "deletion-queue-growing": [40, 120, 3, "routine"],
  "rooms-unaccounted": [3, 60, 3, "routine"],
  "platform-unreachable": [2, 15, 1, "urgent"],
  "platform-alarms": [1, 15, 3, "routine"],
  "event-sink-silent": [3, 360, 1, "urgent"],
  "signing-keys-stale": [1, 15, 2, "routine"],
  "contact-centre-throttling": [5, 15, 3, "routine"],
  "timers-not-running": [1, 30, 1, "urgent"],
  "server-errors": [5, 15, 1, "urgent"],
  "creates-failing": [3, 15, 1, "urgent"],
  "many-unauthenticated": [50, 15, 2, "routine"],
  "contact-centre-unreachable": [5, 15, 1, "urgent"],
  "event-sink-stopped": [1, 15, 1, "urgent"],
  "health-check-failing": [6, 15, 1, "urgent"],
};
const files = readdirSync("infra/alerts").map((file) => parse(file).name);

/** Windows that Azure offers. https://learn.microsoft.com/azure/azure-monitor/alerts/alerts-create-log-alert-rule */
const offeredMinutes = [5, 10, 15, 30, 45, 60, 120, 180, 240, 300, 360, 1440, 2880];

describe.each(["test", "production"] as const)("Alerts in %s", (environment) => {
  const deployment = environments[environment];
  const rules = allOf(deployment, "alertRule");
  const appName = onlyOf(deployment, "app").fields.name;

  it("Are one for each query, and for each line of this table", () => {
    const names = rules.map(({ fields }) => fields.name.replace(`${appName}-`, ""));
    expect(names.toSorted()).toEqual(Object.keys(expected).toSorted());
    expect(files.toSorted()).toEqual(Object.keys(expected).toSorted());
  });

  it.each(Object.entries(expected))("Has %s with its window, severity and receivers", (name, values) => {
    const [threshold, windowMinutes, severity, group] = values;
    const rule = rules.find(({ fields }) => fields.name === `${appName}-${name}`);
    if (!rule) throw new Error(`There is no rule ${name}`);
    const query = readFileSync(`infra/alerts/${name}.kql`, "utf8")
      .replaceAll("__app__", appName)
      .replaceAll("__threshold__", String(threshold));
    expect(bodyOf(rule)).toEqual({
      kind: "LogAlert",
      properties: {
        displayName: name,
        description: `Runbook: section ${name} in docs/operations.md or docs/alerts.md`,
        severity,
        enabled: true,
        scopes: [onlyOf(deployment, "workspace").id],
        evaluationFrequency: "PT5M",
        windowSize: `PT${windowMinutes}M`,
        autoMitigate: true,
        skipQueryValidation: true,
        criteria: {
          allOf: [
            {
              query,
              timeAggregation: "Count",
              operator: "GreaterThan",
              threshold: 0,
              failingPeriods: { numberOfEvaluationPeriods: 1, minFailingPeriodsToAlert: 1 },
            },
          ],
        },
        actions: {
          actionGroups: [
            allOf(deployment, "actionGroup").find(({ ownName }) => ownName.endsWith(`-${group}`))?.id,
          ],
        },
      },
    });
    expect(offeredMinutes).toContain(windowMinutes);
    expect(query).not.toMatch(/__\w+__/);
  });

  it("Are tested from outside at the address that callers use", () => {
    const test = onlyOf(deployment, "webTest");
    const { tags } = Object(test.fields.body);
    expect(tags[`hidden-link:${onlyOf(deployment, "insights").id}`]).toBe("Resource");
    expect(propertiesOf(test)).toEqual({
      Name: `${appName}-health`,
      SyntheticMonitorId: `${appName}-health`,
      Kind: "standard",
      Enabled: true,
      Frequency: 300,
      Timeout: 30,
      RetryEnabled: true,
      Locations: [{ Id: "emea-gb-db3-azr" }, { Id: "emea-nl-ams-azr" }, { Id: "us-va-ash-azr" }],
      Request: { HttpVerb: "GET", RequestUrl: deployment.outputs["HEALTH_URL"] },
      ValidationRules: {
        ExpectedHttpStatusCode: 200,
        SSLCheck: true,
        SSLCertRemainingLifetimeCheck: 14,
      },
    });
  });
});

describe("Receivers", () => {
  const mail = (address: string, index: number) => ({
    name: `receiver-${index}`,
    emailAddress: address,
    useCommonAlertSchema: true,
  });
  const deployment = deployedWith("test", {
    urgentEmails: ["one@example.com", "two@example.com"],
    urgentPhones: [{ countryCode: "49", phoneNumber: "0000" }],
    urgentWebhooks: ["https://on-call.example.com/hook"],
  });
  const groups = allOf(deployment, "actionGroup").map(propertiesOf);

  it("Of urgent alerts get mails, text messages and calls of their on-call system", () => {
    expect(groups.find(({ groupShortName }) => groupShortName === "vmr-urgent")).toEqual({
      groupShortName: "vmr-urgent",
      enabled: true,
      emailReceivers: [mail("one@example.com", 0), mail("two@example.com", 1)],
      smsReceivers: [{ name: "phone-0", countryCode: "49", phoneNumber: "0000" }],
      webhookReceivers: [
        { name: "webhook-0", serviceUri: "https://on-call.example.com/hook", useCommonAlertSchema: true },
      ],
    });
  });

  it("Of the other alerts get mails only", () => {
    expect(groups.find(({ groupShortName }) => groupShortName === "vmr-routine")).toEqual({
      groupShortName: "vmr-routine",
      enabled: true,
      emailReceivers: [mail("platform-team@example.com", 0)],
      smsReceivers: [],
      webhookReceivers: [],
    });
  });

  it("Get the alerts whose severity an environment changes, with the other numbers as before", () => {
    const changed = deployedWith("test", { alertLimits: { "pool-low": { severity: 0 } } });
    const rule = allOf(changed, "alertRule").find(({ ownName }) => ownName.endsWith("-pool-low"));
    const { severity, windowSize, actions } = Object(rule && propertiesOf(rule));
    expect([severity, windowSize]).toEqual([0, "PT15M"]);
    expect(actions.actionGroups[0]).toMatch(/-urgent$/);
  });
});

/** Minutes between two runs of a timer such as `0 *\/5 * * * *`. */
function intervalMinutes(file: string): number {
  const text = readFileSync(`src/functions/${file}`, "utf8");
  return Number(/schedule: "0 \*\/(\d+) \* \* \* \*"/.exec(text)?.[1]);
}

it("A timer that misses one run wakes nobody, one that misses two does", () => {
  const longest = Math.max(...["collect-garbage.timer.ts", "collect-metrics.timer.ts"].map(intervalMinutes));
  const [, window] = expected["timers-not-running"] ?? [];
  expect(window).toBeGreaterThan(longest * 2);
  expect(window).toBeLessThanOrEqual(longest * 3);
});

it("Every alert has one section in a runbook that says what it means, what to check, what to do and how to see that it worked", () => {
  const runbooks = ["docs/operations.md", "docs/alerts.md"].filter((path) => existsSync(path));
  const sections = runbooks.flatMap((path) => readFileSync(path, "utf8").split(/^## /m).slice(1));
  const headings = new Map(
    sections.map((text) => [
      text.split("\n")[0],
      [...text.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading),
    ]),
  );
  const ofAlerts = [...headings].filter(([, names]) => names.includes("Meaning"));
  expect(ofAlerts.map(([name]) => String(name)).toSorted()).toEqual(Object.keys(expected).toSorted());
  expect(ofAlerts.filter(([, names]) => names.join() !== "Meaning,Check,Act,Verify")).toEqual([]);
});
