/** The log workspace's sink: retries, errors and credentials. */
import { expect, onTestFinished, test } from "vitest";
import { createMetricsSink } from "../../../src/lib/azure/log-workspace.ts";
import type { MetricsSink } from "../../../src/lib/ports.ts";
import { startLogWorkspace } from "../../../tools/simulators/services/log-workspace.ts";
import { startLoopbackServer } from "../../../tools/simulators/services/loopback-server.ts";
import { shortenTimeouts } from "../../support/shortened-timeouts.ts";
import { useStartedPerTest } from "../../support/use-started.ts";

const row = { RunId: "run-1", PlatformConnected: false, PoolDepth: null };
const target = { ruleId: "dcr-1", stream: "Custom-VmrGatewayMetrics_CL" };
const unused = { getToken: async () => Promise.reject(new Error("no identity")) };

const workspace = useStartedPerTest(startLogWorkspace);
const sink: MetricsSink<typeof row> = async (sent) =>
  createMetricsSink({ ...target, endpoint: workspace.url }, unused)(sent);

test("The sink sends the row unchanged to its rule and stream, once, also after a transient failure", async () => {
  workspace.failNext({ status: 503, retryAfterSeconds: 0 });
  await sink(row);
  expect(workspace.rows()).toEqual([{ ruleId: "dcr-1", stream: "Custom-VmrGatewayMetrics_CL", row }]);
});

test("Without a workspace, the sink does nothing", async () => {
  await expect(createMetricsSink(undefined, unused)(row)).resolves.toBeUndefined();
});

test("Each row has a timeout of its own, after which the sink throws", async () => {
  const silent = await startLoopbackServer(() => "silence");
  onTestFinished(silent.stop);
  const asked = shortenTimeouts();
  const silentSink = createMetricsSink({ ...target, endpoint: silent.url }, unused);
  for (let count = 0; count < 3; count++)
    await expect(silentSink(row)).rejects.toMatchObject({
      message: "the log workspace did not accept the row",
      cause: { name: "AbortError" },
    });
  expect(asked).toEqual([20_000, 20_000, 20_000]);
});
