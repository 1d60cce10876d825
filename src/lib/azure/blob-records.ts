/** The store of create records over Azure Blob Storage: one small JSON blob per key. */
import { json } from "node:stream/consumers";
import type { TokenCredential } from "@azure/identity";
import type { BlobRequestConditions, ContainerClient } from "@azure/storage-blob";
import { GatewayError } from "../errors.ts";
import { createAgent } from "../http-client.ts";
import { CreateRecord, type CreateRecordStore } from "../ports.ts";
import type { Settings } from "../settings/settings.ts";
import { defaultTimeoutSeconds, fromStorage, type StorageAccountOptions } from "./storage-queue.ts";

/** The container's name; infrastructure creates it and expires its blobs. */
export const createRecordContainer = "create-records";

const clientOptions = { retryOptions: { maxTries: 2, retryDelayInMs: 200 } };

/**
 * Opens the store in the app's storage account. It creates its container if that is missing. A failed write can have
 * happened: its caller gets `storage-unavailable`.
 */
export function openCreateRecords({
  storage,
  credential,
  timeoutSeconds = defaultTimeoutSeconds,
}: StorageAccountOptions): CreateRecordStore {
  const abortSignal = () => AbortSignal.timeout(timeoutSeconds * 1000);
  let opened: ContainerClient | undefined;
  const container = async (): Promise<ContainerClient> => {
    opened ??= await openContainer(storage, credential);
    return opened;
  };

  return {
    async read(id) {
      try {
        const blob = (await container()).getBlobClient(id);
        const options = { abortSignal: abortSignal() };
        const { etag, readableStreamBody } = await fromStorage(async () =>
          blob.download(0, undefined, options),
        );
        const record: unknown = readableStreamBody && (await json(readableStreamBody));
        return { record: CreateRecord.parse(record), version: etag ?? "" };
      } catch (error) {
        if (responseOf(error).statusCode === 404) return undefined;
        throw unavailable(error);
      }
    },

    async write(id, record, replaced) {
      const text = JSON.stringify(record);
      try {
        const client = await container();
        const upload = async (conditions: BlobRequestConditions) =>
          fromStorage(async () =>
            client.getBlockBlobClient(id).upload(text, Buffer.byteLength(text), {
              conditions,
              blobHTTPHeaders: { blobContentType: "application/json" },
              abortSignal: abortSignal(),
            }),
          );
        const isFirst = { ifNoneMatch: "*" };
        await upload(replaced === undefined ? isFirst : { ifMatch: replaced }).catch(
          async (error: unknown) => {
            if (responseOf(error).code !== "ContainerNotFound") throw error;
            // If another create is first, the SDK's result has no request ID (storage-blob, ContainerClient).
            await client.createIfNotExists({ abortSignal: abortSignal() });
            return upload(isFirst);
          },
        );
        return undefined;
      } catch (error) {
        const { refusal } = responseOf(error);
        if (refusal) return refusal;
        throw unavailable(error);
      }
    },
  };
}

/** Loads the SDK with the first key, because many clients send none. */
async function openContainer(
  storage: Settings["storage"],
  credential: TokenCredential,
): Promise<ContainerClient> {
  const { BlobServiceClient } = await import("@azure/storage-blob");
  const open = (options: object) =>
    "connectionString" in storage
      ? BlobServiceClient.fromConnectionString(storage.connectionString, options)
      : new BlobServiceClient(storage.blobServiceUrl, credential, options);
  // As for the queues.
  const agent = createAgent(open({}).url);
  return open({ ...clientOptions, agent }).getContainerClient(createRecordContainer);
}

/**
 * Returns status and code if the SDK's error is a response, and the error itself if the service refused the request.
 */
function responseOf(error: unknown): { statusCode?: unknown; code?: unknown; refusal?: Error } {
  // The class of the SDK's errors is loaded with the SDK.
  if (!(error instanceof Error && "statusCode" in error)) return {};
  const { statusCode } = error;
  const code = "code" in error ? error.code : undefined;
  // With 5xx, the request may have been carried out.
  const isRefused = code !== undefined && Number(statusCode) >= 400 && Number(statusCode) < 500;
  return { statusCode, code, ...(isRefused && { refusal: error }) };
}

function unavailable(cause: unknown): GatewayError {
  return new GatewayError("storage-unavailable", { cause, retryAfterSeconds: 5 });
}
