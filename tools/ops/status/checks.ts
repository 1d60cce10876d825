/** What `ops status` checks, in the order of its lines. */

import { firstLine } from "../outcomes.ts";
import * as dependency from "./dependency-checks.ts";
import { type Finding, type Line, unknown } from "./line.ts";
import * as pool from "./pool-checks.ts";
import type { Reading } from "./reading.ts";
import * as work from "./work-checks.ts";

export interface Check {
  /** The name of its line. */
  readonly name: string;
  /** May throw: the check has then failed, and the message says why. */
  readonly run: (reading: Reading) => Promise<Finding>;
}

export const statusChecks: readonly Check[] = [
  { name: "Gateway", run: dependency.checkGateway },
  { name: "Settings", run: dependency.checkSettings },
  { name: "Log", run: dependency.checkLog },
  { name: "Creates", run: work.checkCreates },
  { name: "Callers", run: work.checkCallers },
  { name: "Other calls", run: work.checkOtherCalls },
  { name: "Platform", run: dependency.checkPlatform },
  { name: "Speed", run: dependency.checkSpeed },
  { name: "Token issuer", run: dependency.checkTokenIssuer },
  { name: "Contact centre", run: dependency.checkContactCentre },
  { name: "Event sink", run: work.checkEventSink },
  { name: "Provisioning", run: work.checkProvisioning },
  { name: "Storage", run: dependency.checkStorage },
  { name: "Pool", run: pool.checkPool },
  { name: "Requests", run: pool.checkRequests },
  { name: "Poison", run: pool.checkPoison },
  { name: "Deletion", run: pool.checkDeletion },
  { name: "Alarms", run: pool.checkAlarms },
  { name: "Rooms", run: pool.checkRooms },
  { name: "Unaccounted", run: pool.checkUnaccounted },
  { name: "Metrics", run: work.checkMetrics },
  { name: "Version", run: dependency.checkVersion },
];

/** Returns the line of a check. */
export async function runCheck({ name, run }: Check, reading: Reading): Promise<Line> {
  const finding = await run(reading).catch(async (error: unknown) => {
    const found = firstLine(error);
    // The line Log says this once.
    return found === (await reading.logFailure()) ? unknown : { isOk: false, found };
  });
  return { name, ...finding };
}
