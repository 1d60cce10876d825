/** Checks from the operator's machine what a gateway needs, and says what to do if it is missing. */
import * as z from "zod";
import { fetchPublishedKeys } from "../../../src/lib/auth/signing-keys.ts";
import { queueNames } from "../../../src/lib/ports.ts";
import { version } from "../../../src/lib/version.ts";
import { hostFailureEvent } from "../../local/simulators/log-workspace.ts";
import type { LogLine, LogReader, Target } from "../target/target.ts";
import { age, count } from "../terminal/format.ts";
import type { Line } from "./status-lines.ts";

/** What a check found. `advice` is what to do, if it is not the check's own advice. */
type Finding = Omit<Line, "name">;

interface Check {
  readonly name: string;
  /** May throw: the check has then failed, and `advice` says what to do. */
  readonly run: (target: Target) => Promise<Finding>;
  readonly advice: string;
  /** Whether `ops status` runs it, too. The other checks are about settings and rights. */
  readonly isOfStatus?: true;
}

/** Runs a check. Never throws. There is advice only if the check did not pass. */
export async function runCheck({ name, run, advice }: Check, target: Target): Promise<Line> {
  const finding = await run(target).catch((error: unknown): Finding => {
    const [found = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    return { isOk: false, found };
  });
  return { name, ...finding, advice: finding.isOk ? undefined : (finding.advice ?? advice) };
}

const timeoutMilliseconds = 10_000;
const metricsLateMilliseconds = 15 * 60_000;
const hoursOfLog = 24;
const provisioningEvents = ["provisioning-failed", "room-provisioned"];
const failureSchema = z.object({
  failure: z.string().optional(),
  status: z.number().nullish(),
  rejectedFields: z.string().optional(),
});

export const checks: readonly Check[] = [
  {
    name: "Secrets",
    advice: "the role Website Contributor on the function app lets you read them",
    run: async ({ unresolvedSecrets }) => {
      const names = await unresolvedSecrets();
      return {
        isOk: names.length === 0,
        found: names.length === 0 ? "all are resolved" : `not resolved: ${names.join(", ")}`,
        advice: "set them in the vault, then: sh infra/deploy.sh reload <environment>",
      };
    },
  },
  {
    name: "Gateway",
    advice: "docs/operations.md#health-check-failing",
    isOfStatus: true,
    run: async ({ gatewayUrl, log }) => {
      const { status } = await request(`${gatewayUrl}/public/health`);
      const returned = `${gatewayUrl}/public/health returns ${status}`;
      if (status !== 404) return { isOk: status === 200, found: returned };
      const reason = await loadFailure(log);
      return { isOk: false, found: `${returned}: the app did not load${reason && ` (${reason})`}` };
    },
  },
  {
    name: "Access",
    advice:
      "look at AUTH_TENANT_ID, AUTH_AUDIENCES and AUTH_CLIENT_IDS, and at the policies of API Management",
    run: async ({ gatewayUrl }) => {
      const { status } = await request(`${gatewayUrl}/room/list`);
      const isBypassed = status === 403;
      return {
        isOk: status === 401,
        found: `a call without a token returns ${status}`,
        ...(isBypassed && {
          advice: "the call bypassed API Management: set HEALTH_URL to the URL that callers use",
        }),
      };
    },
  },
  {
    name: "Queues",
    advice:
      "give yourself Storage Queue Data Contributor; with a private network, work on the machine in the subnet `runner`",
    run: async ({ queues }) => {
      await Promise.all(Object.values(queues).map(async (queue) => queue.count()));
      // Leasing a poison message for a second requires the right to change queues, and changes nothing else.
      await queues.poison.receive(1, 1);
      return { isOk: true, found: `${Object.keys(queueNames).length} queues can be read and changed` };
    },
  },
  {
    name: "Platform",
    advice: "docs/operations.md#platform-unreachable",
    run: async ({ platform, settings, log }) => {
      const connected = (await log.newestMetrics())?.["PlatformConnected"];
      const ofApp = `the app ${connected === true ? "reaches" : "does not reach"} it`;
      if (!platform)
        return {
          isOk: connected === true,
          found: `${ofApp}; you have no credentials for ${settings.platform.url}`,
        };
      const [rows, alarms] = await Promise.all([platform.conferences.list(), platform.status.alarms()]);
      const found = `${ofApp}; with your credentials, ${count(rows.length, "conference")} and ${count(alarms.length, "alarm")}`;
      return { isOk: connected === true, found };
    },
  },
  {
    name: "Token issuer",
    advice: "docs/operations.md#signing-keys-stale",
    isOfStatus: true,
    run: async ({ settings: { bearer }, log }) => {
      const { keys } = await fetchPublishedKeys(bearer);
      const failures = await countLogged(log, "signing-keys-stale");
      // A key is published for both versions of the tokens.
      const ids = new Set(keys.map(({ kid }) => kid));
      return { isOk: ids.size > 0, found: `${count(ids.size, "signing key")}${failures}` };
    },
  },
  {
    name: "Contact centre",
    advice: "docs/operations.md#contact-centre-throttling",
    isOfStatus: true,
    run: async ({ settings: { contactCentre }, log }) => {
      const { status } = await request(`${contactCentre.url}/api/v2/users/me`);
      const failures = await countLogged(log, "contact-centre-unavailable");
      return { isOk: status === 401, found: `a call without a token returns ${status}${failures}` };
    },
  },
  {
    name: "Metrics",
    advice: "docs/operations.md#timers-not-running",
    isOfStatus: true,
    run: async ({ log }) => {
      const time = (await log.newestMetrics())?.["TimeGenerated"];
      if (typeof time !== "string") return { isOk: false, found: "no row in the last day" };
      const isLate = Date.now() - Date.parse(time) > metricsLateMilliseconds;
      return { isOk: !isLate, found: `the last row is ${age(time, Date.now())} old` };
    },
  },
  {
    name: "Event sink",
    advice: "docs/operations.md#event-sink-silent",
    isOfStatus: true,
    run: async ({ log }) => {
      const last = (await log.lines({ hours: hoursOfLog, events: ["request"], function: "eventSink" })).at(
        -1,
      );
      if (!last) return { isOk: undefined, found: `no event in the last ${hoursOfLog} h` };
      const status = Number(last.fields["status"]);
      return {
        isOk: status === 204,
        found: `the last event came ${age(last.time, Date.now())} ago and got ${status}`,
      };
    },
  },
  {
    name: "Provisioning",
    advice: "docs/operations.md#provisioning-failing",
    isOfStatus: true,
    run: async ({ log }) => describeProvisioning(await log.lines({ hours: 1, events: provisioningEvents })),
  },
  {
    name: "Version",
    advice: "use the commands of the version that is deployed: git checkout v<version>",
    run: async ({ log }) => {
      const deployed = (await log.newestMetrics())?.["Version"];
      const isOk = deployed === undefined || deployed === version;
      const shown = typeof deployed === "string" ? deployed : "unknown";
      return { isOk, found: `the app is ${shown}, these commands are ${version}` };
    },
  },
];

/** The newest failure in words. It is over if a room has been provisioned since. */
function describeProvisioning(lines: readonly LogLine[]): Finding {
  const failures = lines.filter(({ fields }) => fields["event"] === "provisioning-failed");
  const newest = failures.at(-1);
  if (!newest) return { isOk: true, found: "no failure in the last hour" };
  const { failure, status, rejectedFields } = failureSchema.parse(newest.fields);
  const cause = [failure, status].filter((part) => part !== undefined && part !== null).join(" ");
  const named = rejectedFields === undefined ? "" : `, field ${rejectedFields}`;
  const isOver = lines.at(-1) !== newest;
  const found = `${count(failures.length, "attempt")} failed, the last ${age(newest.time, Date.now())} ago: ${cause}${named}`;
  return { isOk: isOver, found: isOver ? `${found}; rooms have been provisioned since` : found };
}

/** Returns the first line of the reason why the app did not load, or an empty text if the log has none. */
async function loadFailure(log: LogReader): Promise<string> {
  const lines = await log.lines({ hours: 1, events: [hostFailureEvent] }).catch(() => []);
  return z.string().catch("").parse(lines.at(-1)?.fields["message"]);
}

async function countLogged(log: Target["log"], event: string): Promise<string> {
  const lines = await log.lines({ hours: 1, events: [event] });
  return lines.length === 0
    ? ""
    : `; the app logged ${event} ${count(lines.length, "time")} in the last hour`;
}

async function request(url: string): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(timeoutMilliseconds), redirect: "manual" });
  } catch (error) {
    throw new Error(`${new URL(url).origin} does not respond`, { cause: error });
  }
}
