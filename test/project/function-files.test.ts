/** Each function has its file, its test file and its line in main.ts, and stands alone. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { identities } from "../../local/gateway/identities.ts";
import { startFunctionsHost } from "../../local/host/functions-host.ts";

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const files = readdirSync(at("src/functions"));
const sourceOf = (file: string) => readFileSync(at(`src/functions/${file}`), "utf8");

const functionNames = [
  "bulkCreateRooms",
  "bulkDeleteRooms",
  "collectGarbage",
  "collectMetrics",
  "createRoom",
  "createRoomFromQueue",
  "deleteRoom",
  "eventSink",
  "getPublicRoom",
  "getRoom",
  "healthCheck",
  "listRooms",
  "provisionRoom",
  "updateRoom",
];

test("there are fourteen function files", () => {
  expect(files).toHaveLength(functionNames.length);
});

test.each(files)("%s has a test file", (file) => {
  expect(readdirSync(at("test/functions"))).toContain(file.replace(/\.ts$/, ".test.ts"));
});

test.each(files)("%s exports one function, by the name of its file", async (file) => {
  const exported = Object.keys((await import(at(`src/functions/${file}`))) as object);
  const stem = file.replace(/(?:\.timer|\.queue)?\.ts$/, "");
  expect(exported).toEqual([stem.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())]);
});

test.each(files)("%s imports no other function, and nothing of Azure", (file) => {
  const imported = [...sourceOf(file).matchAll(/ from "([^"]+)"/g)].map((match) => match[1] ?? "");
  expect(imported.length).toBeGreaterThan(0);
  expect(imported.filter((path) => path.startsWith("./") || path.includes("functions"))).toEqual([]);
  expect(imported.filter((path) => path.startsWith("@azure/"))).toEqual([]);
});

test("importing main.ts registers all fourteen, and opens no connection", async () => {
  const nowhere = "http://127.0.0.1:1";
  const log: string[] = [];
  const host = await startFunctionsHost({
    entry: at("src/main.ts"),
    hostJsonPath: at("host.json"),
    timersEnabled: false,
    onLog: ({ category, message }) => {
      if (category.startsWith("Host.Worker") || category.endsWith(".User")) log.push(message);
    },
    environment: {
      AzureWebJobsStorage: `DefaultEndpointsProtocol=http;AccountName=made-up;AccountKey=bWFkZS11cA==;QueueEndpoint=${nowhere}/made-up`,
      PLATFORM_URL: nowhere,
      PLATFORM_USERNAME: "gateway",
      PLATFORM_PASSWORD: "made-up",
      ROOM_HOST_PIN: identities.hostPin,
      MAX_VMR: "1",
      AUTH_TENANT_ID: identities.tenantId,
      AUTH_AUDIENCES: identities.clientId,
      AUTH_CLIENT_IDS: identities.clientId,
      AUTH_AUTHORITY: nowhere,
      CONTACT_CENTRE_API_URL: nowhere,
      CONTACT_CENTRE_DIVISION_IDS: identities.divisionId,
      EVENT_SINK_USERNAME: "made-up",
      EVENT_SINK_PASSWORD: "made-up",
    },
  });
  try {
    expect(host.functions.map(({ name }) => name).toSorted()).toEqual(functionNames);
    expect(log).toEqual([]);
    expect((await fetch(`${host.url}/public/health`)).status).toBe(200);
  } finally {
    await host.stop();
  }
});
