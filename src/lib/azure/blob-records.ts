/** The store of create records over Azure Blob Storage: one small JSON blob per key. */
import { json } from "node:stream/consumers";
import type { TokenCredential } from "@azure/identity";
import type { BlobRequestConditions, ContainerClient } from "@azure/storage-blob";
import { GatewayError } from "../errors.ts";
import { CreateRecord, type CreateRecordStore } from "../ports.ts";
import type { Settings } from "../settings/settings.ts";
import { defaultTimeoutSeconds, type StorageAccountOptions } from "./storage-queue.ts";

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
        const { etag, readableStreamBody } = await blob.download(0, undefined, options);
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
          client.getBlockBlobClient(id).upload(text, Buffer.byteLength(text), {
            conditions,
            blobHTTPHeaders: { blobContentType: "application/json" },
            abortSignal: abortSignal(),
          });
        const isFirst = { ifNoneMatch: "*" };
        await upload(replaced === undefined ? isFirst : { ifMatch: replaced }).catch(
          async (error: unknown) => {
            if (responseOf(error).code !== "ContainerNotFound") throw error;
            await client.createIfNotExists({ abortSignal: abortSignal() });
            return upload(isFirst);
          },
        );
        return true;
      } catch (error) {
        const { statusCode, code } = responseOf(error);
        const isTaken = statusCode === 409 || statusCode === 412;
        if (isTaken && code !== "ContainerBeingDeleted") return false;
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
  const service =
    "connectionString" in storage
      ? BlobServiceClient.fromConnectionString(storage.connectionString, clientOptions)
      : new BlobServiceClient(storage.blobServiceUrl, credential, clientOptions);
  return service.getContainerClient(createRecordContainer);
}

/** Returns status and code if the SDK's error is a response of the service. */
function responseOf(error: unknown): { readonly statusCode?: unknown; readonly code?: unknown } {
  // The class of the SDK's errors is loaded with the SDK.
  if (!(error instanceof Error && "statusCode" in error)) return {};
  return { statusCode: error.statusCode, code: "code" in error ? error.code : undefined };
}

function unavailable(cause: unknown): GatewayError {
  return new GatewayError("storage-unavailable", { cause, retryAfterSeconds: 5 });
}
