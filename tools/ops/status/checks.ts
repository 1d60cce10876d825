/** What `ops status` and `ops doctor` check, in the order of their lines. */

import { firstLine } from "../outcomes.ts";
import * as dependency from "./dependency-checks.ts";
import type { Finding, Line } from "./line.ts";
import * as pool from "./pool-checks.ts";
import type { Reading } from "./reading.ts";
import * as work from "./work-checks.ts";

/** A check by the name of its line. It may throw: it has then failed, and the message says why. */
export type Check = readonly [name: string, run: (reading: Reading) => Promise<Finding>];

const dependencies: readonly Check[] = [
  ["Creates", work.checkCreates],
  ["Callers", work.checkCallers],
  ["Other calls", work.checkOtherCalls],
  ["Platform", dependency.checkPlatform],
  ["Platform speed", dependency.checkSpeed],
  ["Token issuer", dependency.checkTokenIssuer],
  ["Contact centre", dependency.checkContactCentre],
  ["Event sink", work.checkEventSink],
  ["Provisioning", work.checkProvisioning],
];

export const statusChecks: readonly Check[] = [
  ["Gateway", dependency.checkGateway],
  ...dependencies,
  ["Storage", dependency.checkStorage],
  ["Pool", pool.checkPool],
  ["Requests", pool.checkRequests],
  ["Poison", pool.checkPoison],
  ["Deletion", pool.checkDeletion],
  ["Alarms", pool.checkAlarms],
  ["Rooms", pool.checkRooms],
  ["Unaccounted", pool.checkUnaccounted],
  ["Metrics", work.checkMetrics],
];

export const doctorChecks: readonly Check[] = [
  ["Settings", dependency.checkSettings],
  ["Secrets", dependency.checkSecrets],
  ["Gateway", dependency.checkGateway],
  ["Access", dependency.checkAccess],
  ...dependencies,
  ["Storage", dependency.checkStorageRights],
  ["Metrics", work.checkMetrics],
  ["Version", dependency.checkVersion],
];

/** Returns the line of a check. */
export async function runCheck([name, run]: Check, reading: Reading): Promise<Line> {
  const finding = await run(reading).catch((error: unknown) => ({ isOk: false, found: firstLine(error) }));
  return { name, ...finding };
}
