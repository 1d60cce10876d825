/** host.json: provisioning requests are processed few at a time, survive outages and are all logged. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as z from "zod";
import { readHostJson } from "../../local/host/host-json.ts";
import { queueNames } from "../../src/lib/queues/queue-names.ts";
import { loadSettings } from "../../src/lib/settings/load-settings.ts";
import { exampleEnvironment } from "../support/example-settings.ts";

const { queues, routePrefix } = await readHostJson("host.json");
const host = z
  .object({
    functionTimeout: z.string(),
    extensionBundle: z.object({ id: z.string(), version: z.string() }),
    logging: z.object({
      logLevel: z.record(z.string(), z.string()),
      applicationInsights: z.object({ samplingSettings: z.object({ excludedTypes: z.string() }) }),
    }),
  })
  .parse(JSON.parse(readFileSync("host.json", "utf8")));

it("Paths have no prefix, as specified", () => {
  expect(routePrefix).toBe("");
});

it("Concurrent provisioning equals the maximum number of concurrent platform calls", () => {
  const { maxConcurrency } = loadSettings(exampleEnvironment).platform;
  expect(queues.batchSize + queues.newBatchThreshold).toBe(maxConcurrency);
});

it("The next provisioning starts as soon as one ends, not when a whole batch ends", () => {
  expect(queues.batchSize).toBe(1);
});

it("A failed request is retried every 30 seconds for at least six hours", () => {
  expect(queues.visibilityTimeoutSeconds).toBe(30);
  expect(queues.maxDequeueCount * queues.visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * 3600);
});

it("A request is received within two seconds, in the encoding in which the app writes it", () => {
  expect(queues.maxPollingIntervalSeconds).toBe(2);
  expect(queues.messageEncoding).toBe("base64");
  expect(queueNames.poison).toBe(`${queueNames.provisioning}-poison`);
});

it("The function timeout is longer than the longest operation, bulk delete with 180 s", () => {
  expect(host.functionTimeout).toBe("00:10:00");
});

it("Requests, exceptions and log lines are not sampled, because alerts count them", () => {
  expect(host.logging.logLevel["default"]).toBe("Information");
  expect(host.logging.applicationInsights.samplingSettings.excludedTypes.split(";").toSorted()).toEqual([
    "Exception",
    "Request",
    "Trace",
  ]);
});

it("The storage client's lines, one per call, are not logged", () => {
  expect(host.logging.logLevel).toMatchObject({ "Azure.Core": "Warning", "Host.Aggregator": "Warning" });
});

it("The extension bundle contains the current version of the queue trigger", () => {
  expect(host.extensionBundle).toEqual({
    id: "Microsoft.Azure.Functions.ExtensionBundle",
    version: "[4.*, 5.0.0)",
  });
});
