/** The numbers in host.json that the code depends on. */
import { expect, it } from "vitest";
import host from "../../host.json" with { type: "json" };
import { loadSettings } from "../../src/lib/settings/settings.ts";
import { readQueueSettings } from "../../tools/simulators/host/host-json.ts";
import { functionNames, httpFunctions } from "../../tools/simulators/memory/functions.ts";
import { exampleEnvironment } from "../support/example-settings.ts";

const queues = await readQueueSettings("host.json");

it("Concurrent provisioning equals the maximum number of concurrent platform calls", () => {
  const { maxConcurrency } = loadSettings(exampleEnvironment).platform;
  expect(queues.batchSize + queues.newBatchThreshold).toBe(maxConcurrency);
});

it("A failed request is retried for at least six hours", () => {
  expect(queues.maxDequeueCount * queues.visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * 3600);
});

// Host.Results becomes AppRequests, and Function.NAME are the host's two lines per call:
// https://learn.microsoft.com/azure/azure-functions/configure-monitoring#configure-categories
it("Requests, exceptions and the functions' own lines, which alerts count, are neither sampled nor filtered, but the host's lines about public operations are", () => {
  const { applicationInsights, logLevel } = host.logging;
  expect(applicationInsights.samplingSettings.excludedTypes).toBe("Request;Exception;Trace");
  /** The level of the longest name with which a category begins. */
  const levelOf = (category: string) =>
    Object.entries(logLevel)
      .filter(([name]) => category.startsWith(name))
      .toSorted(([one], [other]) => other.length - one.length)[0]?.[1] ?? logLevel.default;
  const levels = functionNames.map((name) => [
    name,
    levelOf(`Function.${name}`),
    levelOf(`Function.${name}.User`),
  ]);
  const isPublic = (name: string) => httpFunctions[name]?.route.startsWith("public/");
  expect(levels).toEqual(
    functionNames.map((name) => [name, isPublic(name) ? "Warning" : "Information", "Information"]),
  );
  expect(levelOf("Host.Results")).toBe("Information");
});
