/** What the log-workspace stub refuses. The tests of the metrics sink feed it with the real ingestion client. */
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { useStartedPerTest } from "../../../../test/support/use-started.ts";
import { startLogWorkspace } from "../../simulators/log-workspace.ts";

const workspace = useStartedPerTest(async () => startLogWorkspace());

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
