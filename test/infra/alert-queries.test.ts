/** Every alert query, run over rows for which it must fire and rows for which it must stay silent. */
import { describe, expect, it } from "vitest";
import { functionNames } from "../support/function-names.ts";
import { loggedEvents } from "../support/infra/code-facts.ts";
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

const times = (count: number, row: Row): Row[] => Array.from({ length: count }, () => row);
const inMetrics = (...rows: Row[]): Tables => ({ VmrGatewayMetrics_CL: rows });
const inTraces = (...rows: Row[]): Tables => ({ AppTraces: rows });
const inRequests = (...rows: Row[]): Tables => ({ AppRequests: rows });
/** Metrics runs so many minutes ago that found these values in one column. */
const found = (column: string, ...runs: (readonly [minutesAgo: number, value: unknown])[]): Tables =>
  inMetrics(...runs.map(([minutesAgo, value]) => metrics(minutesAgo, { [column]: value })));
const mapRows = (tables: Tables, change: (row: Row) => Row): Tables =>
  Object.fromEntries(Object.entries(tables).map(([table, rows]) => [table, rows.map(change)]));

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
const overdue = trace(100, "collectMetrics", "room-queued-for-deletion", { reason: "maximum-age" });
const conferences = (...counts: (number | null)[]): Tables =>
  found("LiveConferences", ...counts.map((count, index) => [(counts.length - index) * 5, count] as const));
const unreached = { PlatformConnected: false, AvailableRooms: null };
const unexpected = request(3, "createRoom", 500, "unexpected");
const notCreated = request(3, "createRoomFromQueue", 503, "platform-unavailable");
const created = request(3, "createRoom", 200);
const createdFromQueue = request(3, "createRoomFromQueue", 200);
const refused = request(3, "listRooms", 401, "unauthenticated");
const stale = trace(3, "createRoom", "signing-keys-stale", { ageSeconds: 900 });
const unhealthy = availability(3, false);
const collector = invocation(3, "collectGarbage");
const measured = inMetrics(metrics(3));
const backoff = "eventsink_maximum_backoff,licenses_exhausted";

/** What each alert is told of: the rows are those of the gateway's own logger and of its metrics run. */
const cases: Readonly<Record<string, Case>> = {
  "pool-low": {
    fires: { "the pool is below a fifth of its size in every run": found("PoolDepth", [10, 9], [5, 7]) },
    silent: {
      "the pool has exactly a fifth of its size": found("PoolDepth", [5, 10]),
      "the pool recovered in one run": found("PoolDepth", [10, 3], [5, 30]),
      "the pool could not be counted": found("PoolDepth", [5, null]),
      "other counts are low": inMetrics(
        metrics(5, { ProvisioningDepth: 0, AvailableRooms: 0, PoolMinimum: 0 }),
      ),
      "the pool was low before the window": found("PoolDepth", [16, 1]),
    },
  },
  "pool-empty-on-claim": {
    fires: { "one caller found the pool empty": inTraces(trace(3, "createRoomFromQueue", "pool-empty")) },
    silent: {
      "callers got rooms": inTraces(claimed, createdFromQueue),
      "a line only mentions it": inTraces({ ...provisioned, Message: "pool-empty" }),
    },
  },
  "provisioning-failing": {
    fires: { "more rooms failed than were made": inTraces(...times(6, failed), ...times(5, provisioned)) },
    silent: {
      "as many were made as failed": inTraces(...times(6, failed), ...times(6, provisioned)),
      "only four failed": inTraces(...times(4, failed)),
    },
  },
  "poison-messages": {
    fires: { "one request was given up": found("PoisonDepth", [10, 1], [5, 0]) },
    silent: {
      "no request was given up, however many wait": inMetrics(
        metrics(5, { ProvisioningDepth: 99, DeletionDepth: 99, PoolDepth: 99 }),
      ),
      "the queue could not be counted": found("PoisonDepth", [5, null]),
    },
  },
  "deletion-queue-old": {
    fires: { "the oldest waits for an hour": found("DeletionOldestSeconds", [5, 3600]) },
    silent: {
      "it waits for less": found("DeletionOldestSeconds", [5, 3599]),
      "it was deleted in the newest run": found("DeletionOldestSeconds", [5, 60], [10, 9000]),
      "only the number of waiting rooms is large": found("DeletionDepth", [5, 9000]),
    },
  },
  "deletion-queue-growing": {
    fires: {
      "it grew by forty, in any order of rows": found("DeletionDepth", [5, 45], [115, 5], [60, 90]),
    },
    silent: {
      "it grew by less": found("DeletionDepth", [115, 5], [5, 44]),
      "it shrank": found("DeletionDepth", [5, 5], [115, 90]),
      "there is one run only": found("DeletionDepth", [5, 500]),
      "other queues grew": inMetrics(
        metrics(115, { PoolDepth: 0, ProvisioningDepth: 0, PoisonDepth: 0 }),
        metrics(5, { PoolDepth: 99, ProvisioningDepth: 99, PoisonDepth: 99, DeletionOldestSeconds: 900 }),
      ),
    },
  },
  "rooms-unaccounted": {
    fires: { "three rooms are unknown in every run": found("UnaccountedRooms", [55, 3], [5, 8]) },
    silent: {
      "one run found fewer": found("UnaccountedRooms", [55, 2], [5, 8]),
      "they could not be counted": found("UnaccountedRooms", [5, null]),
      "rooms are in use or free": inMetrics(
        metrics(5, { InUseRooms: 99, AvailableRooms: 99, LiveConferences: 99 }),
      ),
    },
  },
  "platform-unreachable": {
    fires: {
      "two runs reached nothing": inMetrics(metrics(10, unreached), metrics(5, unreached)),
      "only the list of rooms fails": found("AvailableRooms", [10, null], [5, null]),
    },
    silent: {
      "one run reached it": inMetrics(metrics(10, unreached), metrics(5)),
      "only one run has tried": inMetrics(metrics(5, unreached)),
      "no room is free, but the list is there": found("AvailableRooms", [10, 0], [5, 0]),
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
        ...inTraces(...times(3, claimed)),
        ...conferences(3, 2, 2, null, 1, 1, 0),
      },
      "rooms were queued for their age alone": {
        ...inTraces(...times(3, claimed), ...times(3, overdue)),
        ...conferences(3, 0),
      },
      "the sink fell silent after a busy hour": {
        ...inTraces(...times(30, claimed), ...times(20, queued)),
        ...conferences(30, 20, 10, 7),
      },
    },
    silent: {
      "each end was queued": { ...inTraces(...times(3, claimed), ...times(3, queued)), ...conferences(3, 0) },
      "two are missing": { ...inTraces(...times(3, claimed), queued), ...conferences(3, 0) },
      "the conferences are not the gateway's": { ...inTraces(), ...conferences(9, 0) },
      "more conferences began than ended": { ...inTraces(...times(9, claimed)), ...conferences(0, 5, 9) },
    },
  },
  "signing-keys-stale": {
    fires: { "the keys could not be fetched once": inTraces(stale) },
    silent: {},
  },
  "contact-centre-throttling": {
    fires: { "five calls were limited": inTraces(...times(5, unavailable(429))) },
    silent: {
      "four were": inTraces(...times(4, unavailable(429))),
      "it failed otherwise": inTraces(...times(9, unavailable(500)), ...times(9, unavailable(null))),
    },
  },
  "contact-centre-unreachable": {
    fires: {
      "five calls failed": inTraces(...times(5, unavailable(500))),
      "five calls had no response": inTraces(...times(5, unavailable(null))),
    },
    silent: {
      "four did": inTraces(...times(4, unavailable(503))),
      "calls were limited": inTraces(...times(9, unavailable(429))),
    },
  },
  "timers-not-running": {
    fires: {
      "the collector did not run": { ...measured, ...inRequests(invocation(3, "collectMetrics")) },
      "no metrics came": { ...inMetrics(), ...inRequests(collector) },
      "the app has never had a request": measured,
      "only another app's collector ran": { ...measured, ...inRequests(ofAnotherApp(collector)) },
      "both ran before the window": {
        ...inMetrics(metrics(31)),
        ...inRequests(invocation(31, "collectGarbage")),
      },
    },
    silent: { "both ran": { ...measured, ...inRequests(collector) } },
  },
  "server-errors": {
    fires: { "five requests failed unexpectedly": inTraces(...times(5, unexpected)) },
    silent: {
      "four did": inTraces(...times(4, unexpected)),
      "a dependency was away": inTraces(...times(9, request(3, "createRoom", 503, "platform-unavailable"))),
    },
  },
  "creates-failing": {
    fires: {
      "more creates failed than succeeded": inTraces(...times(3, notCreated), ...times(2, created)),
    },
    silent: {
      "as many succeeded": inTraces(...times(3, notCreated), ...times(3, createdFromQueue)),
      "two failed": inTraces(...times(2, notCreated)),
      "callers made mistakes": inTraces(...times(9, request(3, "createRoomFromQueue", 422))),
      "other operations failed": inTraces(...times(9, request(3, "listRooms", 503))),
    },
  },
  "many-unauthenticated": {
    fires: {
      "the app refused fifty calls": inTraces(...times(50, refused)),
      "API Management refused fifty calls, which the app never saw": {
        ApiManagementGatewayLogs: times(50, call(3, 401)),
      },
    },
    silent: {
      "forty-nine were, each seen by both": {
        ApiManagementGatewayLogs: times(49, call(3, 401)),
        ...inTraces(...times(49, refused)),
      },
      "API Management let them all pass": { ApiManagementGatewayLogs: times(99, call(3, 200)) },
      "another API of the service refused them": {
        ApiManagementGatewayLogs: times(99, { ...call(3, 401), ApiId: "another" }),
      },
      "forty-nine were, without API Management": inTraces(...times(49, refused)),
      "rooms were not found": inTraces(...times(99, request(3, "getRoom", 404, "room-not-found"))),
    },
  },
  "health-check-failing": {
    fires: { "six tests from outside failed": { AppAvailabilityResults: times(6, unhealthy) } },
    silent: {
      "one place reached it": { AppAvailabilityResults: [...times(6, unhealthy), availability(3, true)] },
      "five failed": { AppAvailabilityResults: times(5, unhealthy) },
      "another test failed": { AppAvailabilityResults: times(9, { ...unhealthy, Name: "another" }) },
    },
  },
};

/** A workspace has AppRequests from the first request on, and the log of API Management only if there is one. */
const mayBeMissing = ["AppRequests", "ApiManagementGatewayLogs"];

const emptyTables = { AppTraces: [], AppRequests: [], AppAvailabilityResults: [], VmrGatewayMetrics_CL: [] };

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

  it("Stays silent if the traces are another app's", () => {
    const ofOthers = Object.values(firing)
      .filter((tables) => tables["AppTraces"])
      .map((tables) => ({ ...tables, AppTraces: (tables["AppTraces"] ?? []).map(ofAnotherApp) }));
    expect(ofOthers.filter((tables) => fires(name, missing(tables)))).toEqual([]);
  });

  it("Looks at its own window only", () => {
    const minutes = Number(rules.get(name)?.minutes) + 1;
    const old = Object.values(firing).map((tables) =>
      mapRows(tables, (row) => ({ ...row, TimeGenerated: now - minutes * 60_000 })),
    );
    expect(old.map((tables) => fires(name, { ...emptyTables, ...tables }))).toEqual(
      old.map(() => name === "timers-not-running"),
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
  expect(operations.filter((name) => !functionNames.includes(name))).toEqual([]);
  const lines = rows.flatMap(({ Message: line }) => (typeof line === "string" ? [line] : []));
  for (const line of lines.filter((text) => text.startsWith("{"))) {
    const {
      event,
      function: name,
      invocationId: _id,
      correlationId: _correlation,
      ...fields
    } = JSON.parse(line);
    expect(functionNames).toContain(name);
    expect([...events.keys()]).toContain(event);
    expect(events.get(event)).toEqual(expect.arrayContaining(Object.keys(fields)));
  }
});
