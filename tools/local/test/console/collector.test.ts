/** The samples that the console takes of a whole stack, one after another. */
import { expect, onTestFinished, test } from "vitest";
import { startProxy } from "../../../../test/support/proxy.ts";
import { connectionOf } from "../../../simulators/connection.ts";
import { startDevelopmentStack } from "../../../simulators/development-stack.ts";
import { startCollector } from "../../console/collector.ts";
import { createTimeline } from "../../console/timeline.ts";
import { openLocalQueues } from "../../stack/local-queues.ts";

test("The console counts requests, and keeps the count in an outage of the storage", async () => {
  const stack = await startDevelopmentStack();
  onTestFinished(stack.stop);
  const { connectionString } = stack.azurite;
  const queueUrl = /QueueEndpoint=([^;]+)/.exec(connectionString)?.[1] ?? "";
  const proxy = await startProxy(queueUrl);
  onTestFinished(async () => proxy.stop());
  const { provisioning } = openLocalQueues(connectionString);
  for (const text of ["1", "2", "3"]) await provisioning.put(text);
  const AzureWebJobsStorage = connectionString.replace(queueUrl, proxy.url);
  const { snapshot, stop } = await startCollector({
    connection: connectionOf(stack, "http://127.0.0.1:1", { ...stack.settings, AzureWebJobsStorage }),
    stack,
    appState: () => ({ state: "up" }),
    timeline: createTimeline(),
    intervalMilliseconds: 50,
  });
  onTestFinished(stop);
  const shown = () => {
    const { parts, counts, poolLevel } = snapshot();
    return [parts["Storage"], counts.provisioning, poolLevel];
  };
  await expect.poll(shown).toEqual(["up", 3, 50]);
  proxy.setDown(true);
  await expect.poll(shown).toEqual(["down", 3, 50]);
  proxy.setDown(false);
  await expect.poll(shown).toEqual(["up", 3, 50]);
});
