/** The calls that a create consists of, made directly over warm connections. They are the floor of every figure. */
import { QueueSASPermissions, QueueServiceClient } from "@azure/storage-queue";
import * as z from "zod";
import { queueNames } from "../../src/lib/ports.ts";
import { bypassProxy } from "../local/process/bypass-proxy.ts";
import { platformAccount } from "../local/stack/identities.ts";
import type { BenchStack } from "./bench-stack.ts";
import { sendExpecting } from "./warm-http.ts";

export type BareCalls = Awaited<ReturnType<typeof createBareCalls>>;

/** The service tag of every create. */
export const serviceTag = "https://verify.example.com/sessions/bench";

const storageHeaders = { "x-ms-version": "2025-11-05" };
const conferencePath = "/api/admin/configuration/v1/conference/";
const roomsSchema = z.object({ objects: z.array(z.object({ id: z.int() })) });
const pageSchema = z.object({ meta: z.object({ next: z.string().nullable() }) });

/** Queue URLs contain a shared access signature, so nothing is signed during the measurement. */
export async function createBareCalls({ connectionString, platformUrl }: BenchStack) {
  bypassProxy();
  const service = QueueServiceClient.fromConnectionString(connectionString);
  const addressOf = async (queueName: string) => {
    const queue = service.getQueueClient(queueName);
    await queue.createIfNotExists();
    const permissions = QueueSASPermissions.parse("raup");
    const expiresOn = new Date(Date.now() + 3_600_000);
    const signedUrl = new URL(queue.generateSasUrl({ permissions, expiresOn }));
    return { url: `${signedUrl.origin}${signedUrl.pathname}`, signature: signedUrl.search.slice(1) };
  };
  const queues = { pool: await addressOf(queueNames.pool), deletion: await addressOf(queueNames.deletion) };
  const { username, password } = platformAccount;
  const platformHeaders = {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
    accept: "application/json",
    "content-type": "application/json",
  };

  const platform = async (status: number, method: string, path: string, fields?: object): Promise<string> =>
    sendExpecting(status, method, `${platformUrl}${path}`, {
      headers: platformHeaders,
      ...(fields && { body: JSON.stringify(fields) }),
    });

  return {
    /** Receives, finds, changes and removes one pooled room, as a create does. Returns its name. */
    async claim(): Promise<string> {
      const { url, signature } = queues.pool;
      const query = `numofmessages=1&visibilitytimeout=300&${signature}`;
      const xml = await sendExpecting(200, "GET", `${url}/messages?${query}`, { headers: storageHeaders });
      const part = (tag: string) => new RegExp(`<${tag}>(.*?)</${tag}>`).exec(xml)?.[1] ?? "";
      const name = part("MessageText");
      const found = await platform(200, "GET", `${conferencePath}?name=${encodeURIComponent(name)}`);
      const [room] = roomsSchema.parse(JSON.parse(found)).objects;
      if (!room) throw new Error(`there is no room ${name}`);
      await platform(202, "PATCH", `${conferencePath}${room.id}/`, { tag: serviceTag, description: "bench" });
      const receipt = `popreceipt=${encodeURIComponent(part("PopReceipt"))}&${signature}`;
      const message = `${url}/messages/${part("MessageId")}?${receipt}`;
      await sendExpecting(204, "DELETE", message, { headers: storageHeaders });
      return name;
    },
    async put(queue: "pool" | "deletion", text: string): Promise<void> {
      const { url, signature } = queues[queue];
      const body = `<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`;
      const address = `${url}/messages?messagettl=-1&${signature}`;
      await sendExpecting(201, "POST", address, { headers: storageHeaders, body });
    },
    /** Reads all conferences page by page. */
    async listPages(rowsPerPage: number): Promise<void> {
      let next: string | null = `${conferencePath}?limit=${rowsPerPage}&order_by=name`;
      while (next !== null) next = pageSchema.parse(JSON.parse(await platform(200, "GET", next))).meta.next;
    },
  };
}
