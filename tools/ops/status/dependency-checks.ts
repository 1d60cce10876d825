/** The gateway and what it depends on, as they respond to this machine and as the app's log describes them. */
import * as z from "zod";
import { fetchPublishedKeys } from "../../../src/lib/auth/signing-keys.ts";
import { version } from "../../../src/lib/version.ts";
import { describeCall, failureOf, foreignCode } from "../../terminal/call-failure.ts";
import { age, count } from "../../terminal/format.ts";
import { probeSeconds, type Target } from "../gateway/target.ts";
import { firstLine } from "../outcomes.ts";
import { type Finding, judged, runbook, unknown } from "./line.ts";
import { causeOf, mentionLogged } from "./log-history.ts";
import type { Reading } from "./reading.ts";

const slowSeconds = 2;

/** The app responds, and only to callers with a token. */
export async function checkGateway({ target: { gatewayUrl, log } }: Reading): Promise<Finding> {
  const advice = runbook("health-check-failing");
  const health = await request(`${gatewayUrl}/public/health`);
  if (health.status === undefined) return { isOk: false, found: `${gatewayUrl} ${health.failure}`, advice };
  const found = `${gatewayUrl}/public/health returns ${health.status}`;
  if (health.status === 200) {
    const { status, failure } = await request(`${gatewayUrl}/room/list`);
    const unprotected = `${found}, but a call without a token ${status === 200 ? "is accepted" : failure}`;
    return status === 401 ? { isOk: true, found } : { isOk: false, found: unprotected, advice };
  }
  const reason = await log.loadFailure().catch(() => undefined);
  const state = health.status === 404 ? "the app did not load" : "the app does not run";
  return { isOk: false, found: `${found}: ${state}${reason === undefined ? "" : ` (${reason})`}`, advice };
}

/** The settings that the app ignores, and the secrets that it cannot read. */
export async function checkSettings({ target }: Reading): Promise<Finding> {
  const { settings, unresolvedSecrets } = target;
  const secrets = (await unresolvedSecrets()).join(", ");
  if (secrets !== "") {
    const advice = `set them in the vault, then: sh infra/deploy.sh reload <environment>`;
    return { isOk: false, found: `the app cannot read the secrets ${secrets}`, advice };
  }
  const unknown = settings.unknownNames.join(", ");
  const advice = "correct the name in GATEWAY_SETTINGS, or use the commands of the version that is deployed";
  if (unknown !== "") return { isOk: false, found: `unknown: ${unknown}`, advice };
  if (settings.rooms.template["automatic_participants"] !== undefined)
    return { isOk: true, found: "the app accepts them" };
  const lacking = "ROOM_TEMPLATE has no automatic_participants, so a new room dials nobody";
  return { isOk: undefined, found: lacking, advice: "docs/integration.md#for-the-platforms-administrator" };
}

/** Reads the log: without it, the other lines only have what this computer measures. */
export async function checkLog({ logFailure }: Reading): Promise<Finding> {
  const failure = await logFailure();
  return failure === undefined ? { isOk: true, found: "can be read" } : { isOk: false, found: failure };
}

/** Why storage refuses access: https://learn.microsoft.com/troubleshoot/azure/azure-storage/blobs/authentication/storage-troubleshoot-403-errors */
const refusals: Readonly<Record<string, string>> = {
  AuthorizationFailure: "the account's firewall does not allow this computer: ",
  AuthorizationPermissionMismatch: "you lack a role: ",
};

/** Reads every queue. */
export async function checkStorage({ target }: Reading): Promise<Finding> {
  const { clock, queues } = target;
  const startedAt = clock.now();
  try {
    await Promise.all(Object.values(queues).map(async (queue) => queue.count()));
    const seconds = (clock.now() - startedAt) / 1000;
    const found = `responds in ${seconds.toFixed(1)} s${await mentionLogged(target, "storage-unavailable")}`;
    // Other checks run at the same time, and the network is the operator's own.
    return { isOk: seconds > slowSeconds ? undefined : true, found };
  } catch (error) {
    const reason = firstLine(error);
    const cause = Object.entries(refusals).find(([code]) => reason.endsWith(` ${code}`))?.[1] ?? "";
    const described = describeError(error);
    const found = described === reason ? reason : `${described}: ${reason}`;
    return { isOk: false, found, advice: `${cause}${runbook("storage-unavailable")}` };
  }
}

/** The operator's view counts, and the app's own if it is newer than its last successful create. */
export async function checkPlatform(reading: Reading): Promise<Finding> {
  const { target } = reading;
  const advice = runbook("platform-unreachable");
  const probe = await reading.probe();
  const own = (await reading.metrics()).own?.platformFailure;
  const failure = probe?.failure ?? own?.error;
  if (failure !== undefined) {
    const { status } = failureOf(failure);
    const subject = probe?.failure === undefined ? `${own?.subject}: ` : "";
    const found = `${subject}${describeError(failure)}`;
    return judged(false, found, status === 429 ? runbook("platform-slow") : advice);
  }
  const row = await reading.newestRow().catch(() => undefined);
  if (!row) return probe ? { isOk: true, found: "connected" } : unknown;
  const reached = row["PlatformConnected"] === true && row["AvailableRooms"] !== null;
  const isContradicted = !reached && !(await isServedSince(reading, row["TimeGenerated"]));
  if (probe && !isContradicted) return { isOk: true, found: "connected" };
  if (reached) return { isOk: true, found: "connected, as the app saw it" };
  const when = age(String(row["TimeGenerated"]), target.clock.now());
  const found = `${probe ? "connected from here, but " : ""}the app did not reach it ${when} ago`;
  return { isOk: false, found: `${found}${await appsReason(target)}`, advice };
}

async function isServedSince({ creates }: Reading, time: unknown): Promise<boolean> {
  return (await creates()).some(({ status, line }) => status === 200 && line.time > String(time));
}

async function appsReason({ log }: Target): Promise<string> {
  const [line] = (await log.lines({ hours: 1, events: ["measurement-failed"] })).slice(-1);
  return line === undefined ? "" : `: ${causeOf(line)}`;
}

const slowCreateSeconds = 4;
const shownCreates = 10;
const judgedCreates = 3;

/** Calls the platform, and judges how long the latest creates took: changes can be slow while look-ups are fast. */
export async function checkSpeed({ probe, creates }: Reading): Promise<Finding> {
  const known = await creates().catch(() => []);
  const served = known.filter(({ status }) => status === 200).slice(-shownCreates);
  const durations = served.map(({ durationMilliseconds }) => durationMilliseconds / 1000);
  const fastest = Math.min(...durations).toFixed(1);
  const slowest = Math.max(...durations).toFixed(1);
  const ofCreates = served.length === 0 ? "" : `creates take ${fastest} to ${slowest} s`;
  const latest = durations.slice(-judgedCreates);
  const areSlow = latest.length === judgedCreates && Math.min(...latest) > slowCreateSeconds;
  const own = await probe();
  const ownSeconds = own?.failure === undefined ? own?.seconds : undefined;
  const isSlow = areSlow || (ownSeconds ?? 0) > slowSeconds;
  const ofOwn = ownSeconds === undefined ? "" : `${ownSeconds.toFixed(1)} s per call`;
  const found = [ofOwn, ofCreates].filter(Boolean).join("; ") || "unknown";
  if (ownSeconds === undefined && !isSlow) return { isOk: undefined, found };
  return judged(!isSlow, found, `the platform, or the app's storage: ${runbook("platform-slow")}`);
}

export async function checkTokenIssuer({ target }: Reading): Promise<Finding> {
  const advice = runbook("signing-keys-stale");
  try {
    const { keys } = await fetchPublishedKeys(target.settings.bearer);
    // A key is published for both versions of the tokens.
    const ids = new Set(keys.map(({ kid }) => kid));
    const failures = await mentionLogged(target, "signing-keys-stale");
    return judged(ids.size > 0, `${count(ids.size, "signing key")}${failures}`, advice);
  } catch (error) {
    return judged(false, describeError(error), advice);
  }
}

export async function checkContactCentre({ target }: Reading): Promise<Finding> {
  const advice = runbook("contact-centre-throttling");
  const { status, failure } = await request(`${target.settings.contactCentre.url}/api/v2/users/me`);
  const failures = await mentionLogged(target, "contact-centre-unavailable");
  const isOk = status === 401;
  const found = isOk ? "responds" : status === 200 ? "accepts a call without a token" : failure;
  return judged(isOk, `${found}${failures}`, advice);
}

export async function checkVersion({ newestRow }: Reading): Promise<Finding> {
  const deployed = z
    .string()
    .catch("unknown")
    .parse((await newestRow())?.["Version"]);
  const found = `the app is ${deployed}, these commands are ${version}`;
  const advice = "use the commands of the version that is deployed: git checkout v<version>";
  return judged(deployed === "unknown" || deployed === version, found, advice);
}

function describeError(error: unknown): string {
  const failure = failureOf(error);
  const isKnown = failure.status !== undefined || failure.networkCode !== undefined;
  return isKnown ? describeCall(failure) : firstLine(error);
}

/** Sends a probe. `failure` says in words what a response without success means, or why there is none. */
async function request(url: string): Promise<{ status?: number; failure: string }> {
  try {
    const signal = AbortSignal.timeout(probeSeconds * 1000);
    const response = await fetch(url, { signal, redirect: "manual" });
    const { status } = response;
    return { status, failure: describeCall({ status, networkCode: foreignCode(await response.text()) }) };
  } catch (error) {
    return { failure: describeCall(failureOf(error)) };
  }
}
