/** The record store fulfils one contract in memory and in blob storage: one writer per key and version. */
import { randomUUID } from "node:crypto";
import { Socket } from "node:net";
import { BlobServiceClient } from "@azure/storage-blob";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createRecordContainer, openCreateRecords } from "../../../src/lib/azure/blob-records.ts";
import type { CreateRecordStore } from "../../../src/lib/ports.ts";
import { createMemoryRecordStore } from "../../../tools/simulators/memory/record-store.ts";
import { startAzurite } from "../../../tools/simulators/services/azurite.ts";
import { type Answer, startLoopbackServer } from "../../../tools/simulators/services/loopback-server.ts";
import { recordAttempts } from "../../support/storage-attempts.ts";
import { useStarted } from "../../support/use-started.ts";

const record = (room: string) => ({ room, tagHash: "a1", createdAt: "2026-01-02T03:04:05.678Z" });

let answer: Answer;
const server = useStarted(async () => startLoopbackServer(() => answer));
const account = () =>
  `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=bWFkZS11cA==;BlobEndpoint=${server.url}/a`;
const noCredential = { getToken: async () => null };
const azurite = useStarted(async () => startAzurite());

const openBlobs = (connectionString = azurite.connectionString) =>
  openCreateRecords({ storage: { connectionString }, credential: noCredential, timeoutSeconds: 20 });

describe.each<[string, () => CreateRecordStore]>([
  ["memory", createMemoryRecordStore],
  ["blob storage", () => openBlobs()],
])("The record store in %s", (_, open) => {
  test("keeps the first of two writes without a version", async () => {
    const [store, id] = [open(), randomUUID()];
    expect(await store.read(id)).toBeUndefined();
    expect(await store.write(id, record("room-a"))).toBeUndefined();
    expect(await store.write(id, record("room-b"))).toBeInstanceOf(Error);
    expect(await store.read(id)).toMatchObject({ record: record("room-a") });
  });

  test("replaces a record whose version is given, once", async () => {
    const [store, id] = [open(), randomUUID()];
    await store.write(id, record("room-a"));
    const version = (await store.read(id))?.version;

    expect(await store.write(id, record("room-b"), version)).toBeUndefined();
    expect(await store.write(id, record("room-c"), version)).toBeInstanceOf(Error);
    expect(await store.read(id)).toMatchObject({ record: record("room-b") });
  });
});

test("A missing container is created by the first writes", async () => {
  const service = BlobServiceClient.fromConnectionString(azurite.connectionString);
  await service.getContainerClient(createRecordContainer).deleteIfExists();

  const store = openBlobs();
  const writes = ["room-a", "room-b", "room-c"].map(async (room) => store.write(randomUUID(), record(room)));
  expect(await Promise.all(writes)).toEqual([undefined, undefined, undefined]);
});

test("The simulation repeats the calls of the record store as often as the library", async () => {
  const requests: string[] = [];
  const busy = await startLoopbackServer(({ method }) => {
    requests.push(method);
    return { status: 503 };
  });
  onTestFinished(busy.stop);
  const store = openBlobs(account().replace(server.url, busy.url));
  await expect(store.read("id")).rejects.toMatchObject({ code: "storage-unavailable" });
  await expect(store.write("id", record("room-a"))).rejects.toMatchObject({ code: "storage-unavailable" });
  for (const method of ["GET", "PUT"])
    expect(requests.filter((sent) => sent === method)).toHaveLength(recordAttempts);
});

test("A connection for records ends when it is idle for 4 s", async () => {
  const limits = vi.spyOn(Socket.prototype, "setTimeout");
  onTestFinished(() => limits.mockRestore());
  await openBlobs().read("id");
  expect(limits).toHaveBeenCalledWith(4000);
});

// https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes
test.each([
  [400, "InvalidHeaderValue"],
  [404, "ResourceNotFound"],
  [409, "BlobAlreadyExists"],
  [412, "ConditionNotMet"],
])(
  "A write that the storage refuses with %i %s has not been made, and its refusal is returned",
  async (status, code) => {
    const headers = { "content-type": "application/xml", "x-ms-error-code": code, "x-ms-request-id": "r" };
    answer = { status, headers, body: `<Error><Code>${code}</Code></Error>` };
    const store = openBlobs(account());
    expect(await store.write("id", record("room-a"))).toMatchObject({ statusCode: status, code });
    const known = await store.read("id").catch((error: unknown) => error);
    expect(known === undefined).toBe(status === 404);
  },
);

test.each([
  [403, "text/html", {}],
  // The SDK gives its error the code PARSE_ERROR.
  [412, "application/xml", {}],
  [500, "application/xml", { "x-ms-error-code": "InternalError", "x-ms-request-id": "r" }],
])("A write that gets %i as %s may have been made", async (status, type, ofStorage) => {
  const headers = { "content-type": type, ...ofStorage };
  answer = { status, headers, body: "<html>blocked</html>" };
  const written = openBlobs(account()).write("id", record("room-a"));
  await expect(written).rejects.toMatchObject({
    code: "storage-unavailable",
    details: { retryAfterSeconds: 5 },
    cause: expect.any(Error),
  });
});
