/** What `ops status` and `ops doctor` check, in the order of their lines. */
import {
  checkAccess,
  checkContactCentre,
  checkGateway,
  checkPlatform,
  checkSecrets,
  checkSettings,
  checkSpeed,
  checkStorage,
  checkStorageRights,
  checkTokenIssuer,
  checkVersion,
} from "./dependency-checks.ts";
import { type Finding, firstLine, type Line } from "./line.ts";
import {
  checkAlarms,
  checkDeletion,
  checkPoison,
  checkPool,
  checkRequests,
  checkRooms,
  checkUnaccounted,
} from "./pool-checks.ts";
import type { Reading } from "./reading.ts";
import { checkCreates, checkEventSink, checkMetrics, checkProvisioning } from "./work-checks.ts";

/** A check by the name of its line. It may throw: it has then failed, and the message says why. */
type Check = readonly [name: string, run: (reading: Reading) => Promise<Finding>];

const dependencies: readonly Check[] = [
  ["Creates", checkCreates],
  ["Platform", checkPlatform],
  ["Platform speed", checkSpeed],
  ["Token issuer", checkTokenIssuer],
  ["Contact centre", checkContactCentre],
  ["Event sink", checkEventSink],
  ["Provisioning", checkProvisioning],
];

export const statusChecks: readonly Check[] = [
  ["Gateway", checkGateway],
  ...dependencies,
  ["Storage", checkStorage],
  ["Pool", checkPool],
  ["Requests", checkRequests],
  ["Poison", checkPoison],
  ["Deletion", checkDeletion],
  ["Alarms", checkAlarms],
  ["Rooms", checkRooms],
  ["Unaccounted", checkUnaccounted],
  ["Metrics", checkMetrics],
];

export const doctorChecks: readonly Check[] = [
  ["Settings", checkSettings],
  ["Secrets", checkSecrets],
  ["Gateway", checkGateway],
  ["Access", checkAccess],
  ...dependencies,
  ["Storage", checkStorageRights],
  ["Metrics", checkMetrics],
  ["Version", checkVersion],
];

/** Runs all checks at once, and returns the line that each of them will have. */
export function runChecks(checks: readonly Check[], reading: Reading): Promise<Line>[] {
  return checks.map(async ([name, run]) => {
    const finding = await run(reading).catch((error: unknown) => ({ isOk: false, found: firstLine(error) }));
    return { name, ...finding };
  });
}
