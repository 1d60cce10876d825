/** Opens the store of create records in the app's storage account. */
import type { TokenCredential } from "@azure/identity";
import type { CreateRecordStore } from "../ports.ts";
import type { Settings } from "../settings/settings.ts";

const timeoutSeconds = 3;
const options = { retryOptions: { maxTries: 2, retryDelayInMs: 200 } };

/** Returns the store. The SDK is loaded with the first key, because many clients send none. */
export function openCreateRecords(
  storage: Settings["storage"],
  credential: TokenCredential,
): CreateRecordStore {
  let opened: Promise<CreateRecordStore> | undefined;
  const open = async (): Promise<CreateRecordStore> => {
    const [{ BlobServiceClient }, { createBlobRecordStore }] = await Promise.all([
      import("@azure/storage-blob"),
      import("./blob-records.ts"),
    ]);
    const service =
      "connectionString" in storage
        ? BlobServiceClient.fromConnectionString(storage.connectionString, options)
        : new BlobServiceClient(storage.blobServiceUrl, credential, options);
    return createBlobRecordStore({ service, timeoutSeconds });
  };
  const store = async () => (opened ??= open());
  return {
    read: async (id) => (await store()).read(id),
    write: async (id, record, replaced) => (await store()).write(id, record, replaced),
  };
}
