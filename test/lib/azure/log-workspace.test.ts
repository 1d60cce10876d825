/** The log workspace's sink: retries, errors and credentials. */
import { expect, test } from "vitest";
import { createMetricsSink } from "../../../src/lib/azure/log-workspace.ts";
import type { MetricsSink } from "../../../src/lib/ports.ts";
import { startLogWorkspace } from "../../../tools/simulators/services/log-workspace.ts";
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
