/** Every alert query, run over rows for which it must fire and rows for which it must stay silent. */
import { describe, expect, it } from "vitest";
import { functionNames, loggedEvents } from "../support/infra/code-facts.ts";
import { allOf, environments, onlyOf, propertiesOf } from "../support/infra/environments.ts";
import { runQuery, type Tables } from "../support/infra/kusto/run-query.ts";
import type { Row } from "../support/infra/kusto/scalar.ts";
import {
  appName,
  availability,
  call,
  invocation,
  metrics,
  now,
  ofAnotherApp,
  request,
  trace,
} from "../support/infra/telemetry.ts";

const deployedApp = onlyOf(environments.test, "app").fields.name;
const rules = new Map(
  allOf(environments.test, "alertRule").map((rule) => {
    const { criteria, windowSize } = Object(propertiesOf(rule));
    const query = String(criteria.allOf[0].query).replaceAll(deployedApp, appName);
    const minutes = Number(/^PT(\d+)M$/.exec(windowSize)?.[1]);
    return [rule.ownName.replace(`${deployedApp}-`, ""), { query, minutes }];
  }),
);

/** Whether the rule has a row for what is in its window. */
function fires(name: string, tables: Tables): boolean {
  const rule = rules.get(name);
  if (!rule) throw new Error(`There is no rule ${name}`);
  const start = now - rule.minutes * 60_000;
  const inWindow = Object.entries(tables).map(([table, rows]): [string, readonly Row[]] => [
    table,
    rows.filter(({ TimeGenerated }) => Number(TimeGenerated) > start && Number(TimeGenerated) <= now),
  ]);
  return runQuery(rule.query, Object.fromEntries(inWindow)).length > 0;
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const inMetrics = (...rows: Row[]): Tables => ({ VmrGatewayMetrics_CL: rows });
const inTraces = (...rows: Row[]): Tables => ({ AppTraces: rows });

interface Case {
  readonly fires: Readonly<Record<string, Tables>>;
  readonly silent: Readonly<Record<string, Tables>>;
}

const unavailable = (status: number | null) =>
  trace(3, "getPublicRoom", "contact-centre-unavailable", { status });
const failed = trace(3, "provisionRoom", "provisioning-failed", { room: "a", message: "released" });
const provisioned = trace(3, "provisionRoom", "room-provisioned", { room: "a", reason: "claim" });
const claimed = trace(200, "createRoomFromQueue", "room-claimed", { room: "a" });
const queued = trace(100, "eventSink", "room-queued-for-deletion", { room: "a" });
const overdue = trace(100, "collectMetrics", "room-queued-for-deletion", {
  room: "a",
  reason: "maximum-age",
});
const conferences = (...counts: (number | null)[]): Row[] =>
  counts.map((count, index) => metrics((counts.length - index) * 5, { LiveConferences: count }));
const collector = invocation(3, "collectGarbage");
const backoff = "eventsink_maximum_backoff,licenses_exhausted";

/** What each alert is told of: the rows are those of the gateway's own logger and of its metrics run. */
const cases: Readonly<Record<string, Case>> = {
  "pool-low": {
    fires: {
      "the pool is below a fifth of its size in every run": inMetrics(
        metrics(10, { PoolDepth: 9 }),
        metrics(5, { PoolDepth: 7 }),
      ),
    },
    silent: {
      "the pool has exactly a fifth of its size": inMetrics(metrics(5, { PoolDepth: 10 })),
      "the pool recovered in one run": inMetrics(
        metrics(10, { PoolDepth: 3 }),
        metrics(5, { PoolDepth: 30 }),
      ),
      "the pool could not be counted": inMetrics(metrics(5, { PoolDepth: null })),
      "other counts are low": inMetrics(
        metrics(5, { ProvisioningDepth: 0, AvailableRooms: 0, PoolMinimum: 0 }),
      ),
      "the pool was low before the window": inMetrics(metrics(16, { PoolDepth: 1 })),
    },
  },
  "pool-empty-on-claim": {
    fires: { "one caller found the pool empty": inTraces(trace(3, "createRoomFromQueue", "pool-empty")) },
    silent: {
      "callers got rooms": inTraces(claimed, request(3, "createRoomFromQueue", 200)),
      "it happened to another app": inTraces(ofAnotherApp(trace(3, "createRoomFromQueue", "pool-empty"))),
      "a line only mentions it": inTraces({ ...provisioned, Message: "pool-empty" }),
    },
  },
  "provisioning-failing": {
    fires: {
      "more rooms failed than were made": inTraces(...times(6, () => failed), ...times(5, () => provisioned)),
    },
    silent: {
      "as many were made as failed": inTraces(...times(6, () => failed), ...times(6, () => provisioned)),
      "only four failed": inTraces(...times(4, () => failed)),
      "they are another app's": inTraces(...times(9, () => ofAnotherApp(failed))),
    },
  },
  "poison-messages": {
    fires: { "one request was given up": inMetrics(metrics(10, { PoisonDepth: 1 }), metrics(5)) },
    silent: {
      "no request was given up, however many wait": inMetrics(
        metrics(5, { ProvisioningDepth: 99, DeletionDepth: 99, PoolDepth: 99 }),
      ),
      "the queue could not be counted": inMetrics(metrics(5, { PoisonDepth: null })),
    },
  },
  "deletion-queue-old": {
    fires: { "the oldest waits for an hour": inMetrics(metrics(5, { DeletionOldestSeconds: 3600 })) },
    silent: {
      "it waits for less": inMetrics(metrics(5, { DeletionOldestSeconds: 3599 })),
      "it was deleted in the newest run": inMetrics(
        metrics(5, { DeletionOldestSeconds: 60 }),
        metrics(10, { DeletionOldestSeconds: 9000 }),
      ),
      "only the number of waiting rooms is large": inMetrics(metrics(5, { DeletionDepth: 9000 })),
    },
  },
  "deletion-queue-growing": {
    fires: {
      "it grew by forty, in whatever order the rows come": inMetrics(
        metrics(5, { DeletionDepth: 45 }),
        metrics(115, { DeletionDepth: 5 }),
        metrics(60, { DeletionDepth: 90 }),
      ),
    },
    silent: {
      "it grew by less": inMetrics(metrics(115, { DeletionDepth: 5 }), metrics(5, { DeletionDepth: 44 })),
      "it shrank": inMetrics(metrics(5, { DeletionDepth: 5 }), metrics(115, { DeletionDepth: 90 })),
      "there is one run only": inMetrics(metrics(5, { DeletionDepth: 500 })),
      "other queues grew": inMetrics(
        metrics(115, { PoolDepth: 0, ProvisioningDepth: 0, PoisonDepth: 0 }),
        metrics(5, { PoolDepth: 99, ProvisioningDepth: 99, PoisonDepth: 99, DeletionOldestSeconds: 900 }),
      ),
    },
  },
  "rooms-unaccounted": {
    fires: {
      "three rooms are unknown in every run": inMetrics(
        metrics(55, { UnaccountedRooms: 3 }),
        metrics(5, { UnaccountedRooms: 8 }),
      ),
    },
    silent: {
      "one run found fewer": inMetrics(
        metrics(55, { UnaccountedRooms: 2 }),
        metrics(5, { UnaccountedRooms: 8 }),
      ),
      "they could not be counted": inMetrics(metrics(5, { UnaccountedRooms: null })),
      "rooms are in use or free": inMetrics(
        metrics(5, { InUseRooms: 99, AvailableRooms: 99, LiveConferences: 99 }),
      ),
    },
  },
  "platform-unreachable": {
    fires: {
      "two runs reached nothing": inMetrics(
        metrics(10, { PlatformConnected: false, AvailableRooms: null }),
        metrics(5, { PlatformConnected: false, AvailableRooms: null }),
      ),
      "status and alarms answer, but the list of rooms does not": inMetrics(
        metrics(10, { AvailableRooms: null }),
        metrics(5, { AvailableRooms: null }),
      ),
    },
    silent: {
      "one run reached it": inMetrics(
        metrics(10, { PlatformConnected: false, AvailableRooms: null }),
        metrics(5),
      ),
      "only one run has tried": inMetrics(metrics(5, { PlatformConnected: false, AvailableRooms: null })),
      "no room is free, but the list is there": inMetrics(
        metrics(10, { AvailableRooms: 0 }),
        metrics(5, { AvailableRooms: 0 }),
      ),
    },
  },
  "platform-alarms": {
    fires: { "the newest run has an alarm": inMetrics(metrics(10), metrics(5, { AlarmCount: 1 })) },
    silent: {
      "the alarm is gone in the newest run": inMetrics(metrics(5), metrics(10, { AlarmCount: 4 })),
      "the alarms could not be read": inMetrics(metrics(5, { AlarmCount: null, AlarmLevel: null })),
    },
  },
  "event-sink-stopped": {
    fires: { "a node has stopped sending": inMetrics(metrics(5, { AlarmCount: 2, AlarmNames: backoff })) },
    silent: {
      "there are other alarms": inMetrics(metrics(5, { AlarmCount: 2, AlarmNames: "licenses_exhausted" })),
      "it was restarted": inMetrics(metrics(10, { AlarmCount: 1, AlarmNames: backoff }), metrics(5)),
    },
  },
  "event-sink-silent": {
    fires: {
      "three rooms ended within hours and none was queued": {
        ...inTraces(claimed, claimed, claimed),
        ...inMetrics(...conferences(3, 2, 2, null, 1, 1, 0)),
      },
      "rooms were queued for their age alone": {
        ...inTraces(claimed, claimed, claimed, ...times(3, () => overdue)),
        ...inMetrics(...conferences(3, 0)),
      },
      "the sink fell silent after a busy hour": {
        ...inTraces(...times(30, () => claimed), ...times(20, () => queued)),
        ...inMetrics(...conferences(30, 20, 10, 7)),
      },
    },
    silent: {
      "every end was queued": {
        ...inTraces(...times(3, () => claimed), ...times(3, () => queued)),
        ...inMetrics(...conferences(3, 0)),
      },
      "two are missing": {
        ...inTraces(claimed, claimed, claimed, queued),
        ...inMetrics(...conferences(3, 0)),
      },
      "the conferences are not the gateway's": { ...inTraces(), ...inMetrics(...conferences(9, 0)) },
      "more conferences began than ended": {
        ...inTraces(...times(9, () => claimed)),
        ...inMetrics(...conferences(0, 5, 9)),
      },
      "rooms were handed out by another app": {
        ...inTraces(...times(9, () => ofAnotherApp(claimed))),
        ...inMetrics(...conferences(9, 0)),
      },
    },
  },
  "signing-keys-stale": {
    fires: {
      "the keys could not be fetched once": inTraces(
        trace(3, "createRoom", "signing-keys-stale", { ageSeconds: 900 }),
      ),
    },
    silent: {
      "another app could not": inTraces(
        ofAnotherApp(trace(3, "createRoom", "signing-keys-stale", { ageSeconds: 9 })),
      ),
    },
  },
  "contact-centre-throttling": {
    fires: { "five calls were limited": inTraces(...times(5, () => unavailable(429))) },
    silent: {
      "four were": inTraces(...times(4, () => unavailable(429))),
      "it failed otherwise": inTraces(
        ...times(9, () => unavailable(500)),
        ...times(9, () => unavailable(null)),
      ),
      "they are another app's": inTraces(...times(9, () => ofAnotherApp(unavailable(429)))),
    },
  },
  "contact-centre-unreachable": {
    fires: {
      "five calls failed": inTraces(...times(5, () => unavailable(500))),
      "five calls had no response": inTraces(...times(5, () => unavailable(null))),
    },
    silent: {
      "four did": inTraces(...times(4, () => unavailable(503))),
      "calls were limited": inTraces(...times(9, () => unavailable(429))),
      "they are another app's": inTraces(...times(9, () => ofAnotherApp(unavailable(500)))),
    },
  },
  "timers-not-running": {
    fires: {
      "the collector did not run": {
        ...inMetrics(metrics(3)),
        AppRequests: [invocation(3, "collectMetrics")],
      },
      "no metrics came": { ...inMetrics(), AppRequests: [collector] },
      "the app has never had a request": inMetrics(metrics(3)),
      "only another app's collector ran": {
        ...inMetrics(metrics(3)),
        AppRequests: [ofAnotherApp(collector)],
      },
      "both ran before the window": {
        ...inMetrics(metrics(31)),
        AppRequests: [invocation(31, "collectGarbage")],
      },
    },
    silent: { "both ran": { ...inMetrics(metrics(3)), AppRequests: [collector] } },
  },
  "server-errors": {
    fires: {
      "five requests failed unexpectedly": inTraces(
        ...times(5, () => request(3, "createRoom", 500, "unexpected")),
      ),
    },
    silent: {
      "four did": inTraces(...times(4, () => request(3, "createRoom", 500, "unexpected"))),
      "a dependency was away": inTraces(
        ...times(9, () => request(3, "createRoom", 503, "platform-unavailable")),
      ),
      "they are another app's": inTraces(
        ...times(9, () => ofAnotherApp(request(3, "createRoom", 500, "unexpected"))),
      ),
    },
  },
  "creates-failing": {
    fires: {
      "more creates failed than succeeded": inTraces(
        ...times(3, () => request(3, "createRoomFromQueue", 503, "platform-unavailable")),
        ...times(2, () => request(3, "createRoom", 200)),
      ),
    },
    silent: {
      "as many succeeded": inTraces(
        ...times(3, () => request(3, "createRoomFromQueue", 503)),
        ...times(3, () => request(3, "createRoomFromQueue", 200)),
      ),
      "two failed": inTraces(...times(2, () => request(3, "createRoomFromQueue", 503))),
      "callers made mistakes": inTraces(...times(9, () => request(3, "createRoomFromQueue", 422))),
      "other operations failed": inTraces(...times(9, () => request(3, "listRooms", 503))),
      "they are another app's": inTraces(...times(9, () => ofAnotherApp(request(3, "createRoom", 503)))),
    },
  },
  "many-unauthenticated": {
    fires: {
      "the app refused fifty calls": inTraces(
        ...times(50, () => request(3, "listRooms", 401, "unauthenticated")),
      ),
      "API Management refused fifty calls, which the app never saw": {
        ApiManagementGatewayLogs: times(50, () => call(3, 401)),
      },
    },
    silent: {
      "forty-nine were, each seen by both": {
        ApiManagementGatewayLogs: times(49, () => call(3, 401)),
        ...inTraces(...times(49, () => request(3, "listRooms", 401, "unauthenticated"))),
      },
      "API Management let them all pass": { ApiManagementGatewayLogs: times(99, () => call(3, 200)) },
      "another API of the service refused them": {
        ApiManagementGatewayLogs: times(99, () => ({ ...call(3, 401), ApiId: "another" })),
      },
      "forty-nine were, without API Management": inTraces(
        ...times(49, () => request(3, "listRooms", 401, "unauthenticated")),
      ),
      "rooms were not found": inTraces(...times(99, () => request(3, "getRoom", 404, "room-not-found"))),
      "they are another app's": inTraces(...times(99, () => ofAnotherApp(request(3, "listRooms", 401)))),
    },
  },
  "health-check-failing": {
    fires: {
      "six tests from outside failed": { AppAvailabilityResults: times(6, () => availability(3, false)) },
    },
    silent: {
      "one place reached it": {
        AppAvailabilityResults: [...times(6, () => availability(3, false)), availability(3, true)],
      },
      "five failed": { AppAvailabilityResults: times(5, () => availability(3, false)) },
      "another test failed": {
        AppAvailabilityResults: times(9, () => ({ ...availability(3, false), Name: "another" })),
      },
    },
  },
};

/** A workspace has AppRequests from the first request on, and the log of API Management only if there is one. */
const mayBeMissing = ["AppRequests", "ApiManagementGatewayLogs"];

const emptyTables: Tables = {
  AppTraces: [],
  AppRequests: [],
  AppAvailabilityResults: [],
  VmrGatewayMetrics_CL: [],
};

it("There are cases for every alert", () => {
  expect(Object.keys(cases).toSorted()).toEqual([...rules.keys()].toSorted());
});

describe.each(Object.entries(cases))("%s", (name, { fires: firing, silent }) => {
  // The tables that a case does not give are there and empty, except those that may not exist.
  const missing = (tables: Tables): Tables => ({
    ...Object.fromEntries(Object.entries(emptyTables).filter(([table]) => !mayBeMissing.includes(table))),
    ...tables,
  });

  it.each(Object.entries(firing))("Fires if %s", (_, tables) => {
    expect(fires(name, missing(tables))).toBe(true);
  });

  it.each(Object.entries(silent))("Stays silent if %s", (_, tables) => {
    expect(fires(name, missing(tables))).toBe(false);
  });

  // Without rows timers-not-running must fire: that is what it is for.
  it("Stays silent if the tables are empty, unless it watches over the rows themselves", () => {
    expect(fires(name, emptyTables)).toBe(name === "timers-not-running");
  });

  it("Looks at its own window only", () => {
    const rule = rules.get(name);
    const old = Object.values(firing).map((tables) =>
      Object.fromEntries(
        Object.entries(tables).map(([table, rows]) => [
          table,
          rows.map((row) => ({ ...row, TimeGenerated: now - (Number(rule?.minutes) + 1) * 60_000 })),
        ]),
      ),
    );
    const firesOnNothing = name === "timers-not-running";
    expect(old.map((tables) => fires(name, { ...emptyTables, ...tables }))).toEqual(
      old.map(() => firesOnNothing),
    );
  });
});

it("The rows are those of events, fields and functions that the code has", () => {
  const events = loggedEvents();
  const rows = Object.values(cases).flatMap(({ fires: firing, silent }) =>
    [...Object.values(firing), ...Object.values(silent)].flatMap((tables) => [
      ...(tables["AppTraces"] ?? []),
      ...(tables["AppRequests"] ?? []),
    ]),
  );
  const operations = rows.flatMap(({ OperationName: name }) => (typeof name === "string" ? [name] : []));
  expect(operations.filter((name) => !functionNames().includes(name))).toEqual([]);
  const lines = rows.flatMap(({ Message: line }) => (typeof line === "string" ? [line] : []));
  for (const line of lines.filter((text) => text.startsWith("{"))) {
    const {
      event,
      function: name,
      invocationId: _id,
      correlationId: _correlation,
      ...fields
    } = JSON.parse(line);
    expect(functionNames()).toContain(name);
    expect([...events.keys()]).toContain(event);
    expect(events.get(event)).toEqual(expect.arrayContaining(Object.keys(fields)));
  }
});
