/** What the host is told in host.json: requests for rooms come few at a time, outlive an outage and are all logged. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { z } from "zod";
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

it("paths are exactly the specification's", () => {
  expect(routePrefix).toBe("");
});

it("as many rooms are made at once as the platform is called at once", () => {
  const { maxConcurrency } = loadSettings(exampleEnvironment).platform;
  expect(queues.batchSize + queues.newBatchThreshold).toBe(maxConcurrency);
});

it("the next room is begun as soon as one is made, not when a whole batch is", () => {
  expect(queues.batchSize).toBe(1);
});

it("a request that fails comes back after half a minute, for hours", () => {
  expect(queues.visibilityTimeoutSeconds).toBe(30);
  expect(queues.maxDequeueCount * queues.visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * 3600);
});

it("a request is seen within two seconds, and read in the encoding in which the app writes it", () => {
  expect(queues.maxPollingIntervalSeconds).toBe(2);
  expect(queues.messageEncoding).toBe("base64");
  expect(queueNames.poison).toBe(`${queueNames.provisioning}-poison`);
});

it("a function may run longer than the longest operation, bulk delete with its 180 s", () => {
  expect(host.functionTimeout).toBe("00:10:00");
});

it("requests, exceptions and log lines are never sampled away, as alerts count them", () => {
  expect(host.logging.logLevel["default"]).toBe("Information");
  expect(host.logging.applicationInsights.samplingSettings.excludedTypes.split(";").toSorted()).toEqual([
    "Exception",
    "Request",
    "Trace",
  ]);
});

it("the storage client's own lines, one for each call, stay out of the log", () => {
  expect(host.logging.logLevel).toMatchObject({ "Azure.Core": "Warning", "Host.Aggregator": "Warning" });
});

it("the extension bundle has the queue trigger's present version", () => {
  expect(host.extensionBundle).toEqual({
    id: "Microsoft.Azure.Functions.ExtensionBundle",
    version: "[4.*, 5.0.0)",
  });
});
