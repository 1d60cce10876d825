/** Settings that are given: each takes the place of its default, up to its limits. */
import { expect, test } from "vitest";
import { loadSettings } from "../../../src/lib/settings/load-settings.ts";
import { exampleEnvironment } from "../../support/example-settings.ts";

const load = (changes: Readonly<Record<string, string | undefined>> = {}) =>
  loadSettings({ ...exampleEnvironment, ...changes });

test("every other setting takes the place of its default", () => {
  const given = {
    PLATFORM_TIMEOUT_SECONDS: "9",
    PLATFORM_MAX_CONCURRENCY: "7",
    POOL_LEASE_SECONDS: "200",
    POOL_MINIMUM: "20",
    POOL_READY_DELAY_SECONDS: "90",
    GC_MAX_MESSAGES: "40",
    GC_MINIMUM_AGE_SECONDS: "900",
    AUTH_CLIENT_IDS: "one,two",
    AUTH_REQUIRED_ROLE: "Rooms.Manage",
    AUTH_AUTHORITY: "https://login.example.com",
    CONTACT_CENTRE_DIVISION_IDS: "three,four",
  };
  expect(load(given)).toMatchObject({
    platform: { timeoutSeconds: 9, maxConcurrency: 7 },
    pool: { maxRooms: 50, minRooms: 20, leaseSeconds: 200, readyDelaySeconds: 90 },
    garbage: { maxMessages: 40, minAgeSeconds: 900 },
    bearer: {
      authority: "https://login.example.com",
      clientIds: ["one", "two"],
      requiredRole: "Rooms.Manage",
    },
    contactCentre: { divisionIds: ["three", "four"] },
  });
});

test("a password may begin or end with a space, and is the only setting that may", () => {
  const { eventSink, platform } = load({ EVENT_SINK_PASSWORD: " word ", PLATFORM_USERNAME: " user " });
  expect(eventSink).toEqual([{ username: "sink", password: " word " }]);
  expect(platform.logIn).toMatchObject({ username: "user" });
});

test("a connection string goes before an account name", () => {
  expect(load({ AzureWebJobsStorage__accountName: "exampleaccount" }).storage).toEqual({
    connectionString: "UseDevelopmentStorage=true",
  });
});

test.each([
  ["MAX_VMR", "1"],
  ["PLATFORM_TIMEOUT_SECONDS", "1"],
  ["PLATFORM_MAX_CONCURRENCY", "1"],
  ["POOL_LEASE_SECONDS", "3600"],
  ["POOL_READY_DELAY_SECONDS", "0"],
  ["GC_MAX_MESSAGES", "1"],
  ["GC_MINIMUM_AGE_SECONDS", "604800"],
  ["AzureWebJobsStorage__accountName", "abc"],
  ["AzureWebJobsStorage__accountName", "abcdefghijklmnopqrstuvwx"],
  ["MAX_VMR", "10000"],
  ["POOL_MINIMUM", "0"],
  ["POOL_MINIMUM", "50"],
  ["PLATFORM_TIMEOUT_SECONDS", "60"],
  ["PLATFORM_MAX_CONCURRENCY", "100"],
  ["POOL_LEASE_SECONDS", "60"],
  ["POOL_READY_DELAY_SECONDS", "3600"],
  ["GC_MAX_MESSAGES", "1000"],
  ["GC_MINIMUM_AGE_SECONDS", "600"],
])("%s may be %s, its limit", (name, value) => {
  expect(() => load({ [name]: value })).not.toThrow();
});

test("the pool's minimum may be as high as the highest maximum", () => {
  expect(load({ MAX_VMR: "10000", POOL_MINIMUM: "10000" }).pool).toMatchObject({ minRooms: 10_000 });
});
