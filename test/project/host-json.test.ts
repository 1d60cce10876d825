/** host.json, compared whole, and the numbers in it that the code depends on. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { queueNames } from "../../src/lib/ports.ts";
import { loadSettings } from "../../src/lib/settings/settings.ts";
import { readHostJson } from "../../tools/local/host/host-json.ts";
import { exampleEnvironment } from "../support/example-settings.ts";

const { queues } = await readHostJson("host.json");

it("host.json contains exactly these settings", () => {
  expect(JSON.parse(readFileSync("host.json", "utf8"))).toEqual({
    version: "2.0",
    // Longer than the longest operation, the collector with 400 s.
    functionTimeout: "00:10:00",
    // The bundle with the queue trigger's present version.
    extensionBundle: { id: "Microsoft.Azure.Functions.ExtensionBundle", version: "[4.*, 5.0.0)" },
    extensions: {
      // Paths are exactly the specification's.
      http: { routePrefix: "" },
      queues: {
        // The next room is begun as soon as one is made, not when a whole batch is.
        batchSize: 1,
        newBatchThreshold: 4,
        visibilityTimeout: "00:00:30",
        maxDequeueCount: 1000,
        maxPollingInterval: "00:00:02",
        messageEncoding: "base64",
      },
    },
    logging: {
      // The storage client writes a line for each call and the aggregator one for each function: both are noise. So are
      // the host's own lines of the event sink, of which there is one pair per event; the function's own lines stay.
      logLevel: {
        default: "Information",
        "Host.Aggregator": "Warning",
        "Azure.Core": "Warning",
        "Function.eventSink": "Warning",
        "Function.eventSink.User": "Information",
      },
      // Alerts count requests, exceptions and log lines: none of them may be sampled.
      applicationInsights: {
        samplingSettings: { isEnabled: true, excludedTypes: "Request;Exception;Trace" },
      },
    },
  });
});

it("Concurrent provisioning equals the maximum number of concurrent platform calls", () => {
  const { maxConcurrency } = loadSettings(exampleEnvironment).platform;
  expect(queues.batchSize + queues.newBatchThreshold).toBe(maxConcurrency);
});

it("A failed request is retried for at least six hours", () => {
  expect(queues.maxDequeueCount * queues.visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * 3600);
});

it("The poison queue has the name that the host gives it", () => {
  expect(queueNames.poison).toBe(`${queueNames.provisioning}-poison`);
});
