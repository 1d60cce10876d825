/** The platform's alarms. */
import { type Clock, naiveTimestamp } from "./clock.ts";

interface RaisedAlarm {
  readonly name: string;
  readonly level: string;
  readonly details: string;
  readonly node: string;
}

interface Alarm extends RaisedAlarm {
  readonly id: number;
  readonly identifier: number;
  readonly instance: string;
  readonly time_raised: string;
}

export type Alarms = ReturnType<typeof createAlarms>;

export function createAlarms(clock: Clock) {
  let alarms: Alarm[] = [];
  let lastId = 0;
  return {
    all: () => alarms,
    /** One alarm per name and node; raising it again has no effect. */
    raise: (given: RaisedAlarm): Alarm => {
      const raised = alarms.find(({ name, node }) => name === given.name && node === given.node);
      if (raised) return raised;
      lastId += 1;
      const time_raised = naiveTimestamp(clock.now());
      const alarm = { ...given, id: lastId, identifier: lastId, instance: "", time_raised };
      alarms = [...alarms, alarm];
      return alarm;
    },
    /** Clears the alarms of this name; without a name, all. */
    clear: (name?: string) => {
      alarms = name === undefined ? [] : alarms.filter((alarm) => alarm.name !== name);
    },
  };
}
