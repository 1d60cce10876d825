/** The platform's alarms. */
import { type Clock, naiveTimestamp } from "./clock.ts";

interface Alarm {
  readonly id: number;
  readonly identifier: number;
  readonly name: string;
  readonly level: string;
  readonly details: string;
  readonly instance: string;
  readonly node: string;
  readonly time_raised: string;
}

export interface Alarms {
  readonly all: () => Alarm[];
  /** One alarm per name and node; raising it again has no effect. */
  readonly raise: (alarm: { name: string; level?: string; details?: string; node?: string }) => Alarm;
  /** Clears by name and, if given, by node; without a name, all alarms. */
  readonly clear: (which?: { name?: string | undefined; node?: string | undefined }) => void;
}

export function createAlarms(clock: Clock): Alarms {
  let alarms: Alarm[] = [];
  let lastId = 0;
  return {
    all: () => alarms,
    raise: ({ name, level = "warning", details = "", node = "10.0.0.21" }) => {
      const raised = alarms.find((alarm) => alarm.name === name && alarm.node === node);
      if (raised) return raised;
      lastId += 1;
      const time_raised = naiveTimestamp(clock.now());
      const alarm = { id: lastId, identifier: lastId, name, level, details, instance: "", node, time_raised };
      alarms = [...alarms, alarm];
      return alarm;
    },
    clear: ({ name, node } = {}) => {
      alarms = alarms.filter(
        (alarm) => (name !== undefined && alarm.name !== name) || (node !== undefined && alarm.node !== node),
      );
    },
  };
}
