/** Summarizes the platform's alarms. */
import type { PlatformAlarm } from "../platform/status.ts";
import type { MetricsRow } from "./row.ts";

// The platform does not document its levels; these are the usual ones in ascending severity.
const levels = ["unknown", "info", "warning", "minor", "major", "error", "critical"];
const maxAlarmNamesCharacters = 1000;

/**
 * Returns the alarm columns of the metrics row: their number, the most severe level (`none` without alarms) and their
 * names, cut off after 1,000 characters. All are null if the alarms could not be read.
 */
export function describeAlarms(
  alarms: readonly PlatformAlarm[] | null,
): Pick<MetricsRow, "AlarmCount" | "AlarmLevel" | "AlarmNames"> {
  if (alarms === null) return { AlarmCount: null, AlarmLevel: null, AlarmNames: null };
  const rank = ({ level }: PlatformAlarm) => levels.indexOf(level.toLowerCase());
  const worst = alarms.toSorted((one, other) => rank(other) - rank(one))[0];
  return {
    AlarmCount: alarms.length,
    AlarmLevel: worst?.level ?? "none",
    AlarmNames: [...new Set(alarms.map(({ name }) => name))]
      .toSorted()
      .join(",")
      .slice(0, maxAlarmNamesCharacters),
  };
}
