/** The log-workspace stub, fed by the real ingestion client. */
import { gzipSync } from "node:zlib";
import { isAggregateLogsUploadError, LogsIngestionClient } from "@azure/monitor-ingestion";
import { expect, test } from "vitest";
import { startLogWorkspace } from "../../../local/simulators/log-workspace.ts";
import { useStartedPerTest } from "../../support/use-started.ts";

const workspace = useStartedPerTest(async () => startLogWorkspace());

function ingestionClient(): LogsIngestionClient {
  const credential = { getToken: async () => ({ token: "unused", expiresOnTimestamp: Date.now() + 60_000 }) };
  const client = new LogsIngestionClient(workspace.url, credential, {
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 0 },
  });
  // The bearer policy refuses plain http, which is all that the stub speaks.
  client.pipeline.removePolicy({ name: "bearerTokenAuthenticationPolicy" });
  return client;
}

test("Rows from the official client are stored with their rule and stream", async () => {
  await ingestionClient().upload("dcr-1", "Custom-Metrics", [{ depth: 3 }, { depth: 4 }]);

  expect(workspace.rows()).toEqual([
    { ruleId: "dcr-1", stream: "Custom-Metrics", row: { depth: 3 } },
    { ruleId: "dcr-1", stream: "Custom-Metrics", row: { depth: 4 } },
  ]);
  expect(await (await fetch(`${workspace.url}/control/rows`)).json()).toEqual(workspace.rows());
});

test("A refused upload stores nothing, and the next one succeeds", async () => {
  workspace.failNext({ status: 503 });
  const refused = ingestionClient().upload("dcr-1", "Custom-Metrics", [{ depth: 3 }]);

  await expect(refused).rejects.toSatisfy(isAggregateLogsUploadError);
  expect(workspace.rows()).toEqual([]);
  await ingestionClient().upload("dcr-1", "Custom-Metrics", [{ depth: 3 }]);
  expect(workspace.rows()).toHaveLength(1);
});

test("An upload needs the API version, in either spelling, and an array of rows", async () => {
  const path = `${workspace.url}/dataCollectionRules/dcr-1/streams/Custom-Metrics`;
  const send = async (
    query: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) => (await fetch(path + query, { method: "POST", body, headers })).status;

  expect(await send("?api-version=2023-01-01", "[{}]")).toBe(204);
  expect(
    await send("?api%2Dversion=2023-01-01", new Uint8Array(gzipSync("[{}]")), { "content-encoding": "gzip" }),
  ).toBe(204);
  expect(await send("", "[{}]")).toBe(400);
  expect(await send("?api-version=2023-01-01", "{}")).toBe(400);
  expect(await send("?api-version=2023-01-01", "[{}]", { "content-encoding": "gzip" })).toBe(400);
  expect(workspace.rows()).toHaveLength(2);
});
