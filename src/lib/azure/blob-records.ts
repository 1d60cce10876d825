/** The store of create records over Azure Blob Storage: one small JSON blob per key. */
import { type BlobServiceClient, RestError } from "@azure/storage-blob";
import { GatewayError } from "../errors.ts";
import { CreateRecord, type CreateRecordStore } from "../ports.ts";

/** The container's name; infrastructure creates it and expires its blobs. */
export const createRecordContainer = "create-records";

export interface BlobRecordStoreOptions {
  readonly service: BlobServiceClient;
  readonly timeoutSeconds: number;
}

/** Creates the container if it is missing. A failed write can have happened: its caller gets `storage-unavailable`. */
export function createBlobRecordStore({
  service,
  timeoutSeconds,
}: BlobRecordStoreOptions): CreateRecordStore {
  const container = service.getContainerClient(createRecordContainer);
  const abortSignal = () => AbortSignal.timeout(timeoutSeconds * 1000);

  async function upload(id: string, text: string, replaced: string | undefined): Promise<boolean> {
    const conditions = replaced === undefined ? { ifNoneMatch: "*" } : { ifMatch: replaced };
    try {
      await container.getBlockBlobClient(id).upload(text, Buffer.byteLength(text), {
        conditions,
        blobHTTPHeaders: { blobContentType: "application/json" },
        abortSignal: abortSignal(),
      });
      return true;
    } catch (error) {
      if (isStatus(error, 409, 412) && codeOf(error) !== "ContainerBeingDeleted") return false;
      throw error;
    }
  }

  return {
    async read(id) {
      try {
        const blob = container.getBlobClient(id);
        const { etag, readableStreamBody } = await blob.download(0, undefined, {
          abortSignal: abortSignal(),
        });
        const text = await textOf(readableStreamBody);
        return { record: CreateRecord.parse(JSON.parse(text)), version: etag ?? "" };
      } catch (error) {
        if (isStatus(error, 404)) return undefined;
        throw unavailable(error);
      }
    },

    async write(id, record, replaced) {
      const text = JSON.stringify(record);
      try {
        return await upload(id, text, replaced).catch(async (error: unknown) => {
          if (codeOf(error) !== "ContainerNotFound") throw error;
          await container.createIfNotExists({ abortSignal: abortSignal() });
          return upload(id, text, undefined);
        });
      } catch (error) {
        throw unavailable(error);
      }
    },
  };
}

async function textOf(stream: NodeJS.ReadableStream | undefined): Promise<string> {
  const chunks: string[] = [];
  if (stream) for await (const chunk of stream) chunks.push(String(chunk));
  return chunks.join("");
}

function codeOf(error: unknown): string | undefined {
  return error instanceof RestError ? error.code : undefined;
}

function isStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof RestError && statuses.includes(error.statusCode ?? 0);
}

function unavailable(cause: unknown): GatewayError {
  return new GatewayError("storage-unavailable", { cause, retryAfterSeconds: 5 });
}
