/** How a command chooses the gateway from several connection files. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/script-process.ts";
import { type Connection, findStartedGateway, findStartedGateways, writeConnection } from "../connection.ts";

const connection: Connection = {
  processId: process.pid,
  startedAt: "2026-01-02T03:04:05Z",
  gatewayUrl: "http://127.0.0.1:1",
  platformControlUrl: "http://127.0.0.1:1",
  tokenUrl: "http://127.0.0.1:1",
  contactCentreUrl: "http://127.0.0.1:1",
  logWorkspaceUrl: "http://127.0.0.1:1",
  storageConnectionString: "",
  maxLevel: 1,
  poolReadyDelaySeconds: 0,
  garbageMinimumAgeSeconds: 0,
  settings: {},
};

test("`findStartedGateway` returns the gateway started last whose process runs, even if it does not respond", async () => {
  const folder = await temporaryFolder();
  const ended = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(ended, "exit");
  const older = { ...connection, gatewayUrl: "http://127.0.0.1:2", startedAt: "2026-01-02T03:04:04Z" };
  writeConnection({ ...connection, processId: ended.pid ?? 0 }, join(folder, "ended.json"));
  writeConnection(connection, join(folder, "newer.json"));
  writeConnection(older, join(folder, "older.json"));
  expect(await findStartedGateways(folder)).toEqual([connection, older]);
  expect(await findStartedGateway(undefined, folder)).toEqual(connection);
  expect(await findStartedGateway(join(folder, "ended.json"))).toBeUndefined();
  expect(await findStartedGateway(join(folder, "missing.json"))).toBeUndefined();
});
