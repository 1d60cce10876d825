/** The numbers in host.json that the code depends on. */
import { expect, it } from "vitest";
import host from "../../host.json" with { type: "json" };
import { loadSettings } from "../../src/lib/settings/settings.ts";
import { readQueueSettings } from "../../tools/simulators/host/host-json.ts";
import { exampleEnvironment } from "../support/example-settings.ts";

const queues = await readQueueSettings("host.json");

it("Concurrent provisioning equals the maximum number of concurrent platform calls", () => {
  const { maxConcurrency } = loadSettings(exampleEnvironment).platform;
  expect(queues.batchSize + queues.newBatchThreshold).toBe(maxConcurrency);
});

it("A failed request is retried for at least six hours", () => {
  expect(queues.maxDequeueCount * queues.visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * 3600);
});

it("Requests, exceptions and the functions' own lines, which alerts count, are neither sampled nor filtered", () => {
  const { applicationInsights, logLevel } = host.logging;
  expect(applicationInsights.samplingSettings.excludedTypes).toBe("Request;Exception;Trace");
  expect(logLevel).toMatchObject({ default: "Information", "Function.eventSink.User": "Information" });
});
