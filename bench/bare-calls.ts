/** The floor of a create: its calls to queue and platform, made bare over warm connections by node:http alone. */

import { QueueSASPermissions, QueueServiceClient } from "@azure/storage-queue";
import { identities } from "../local/gateway/identities.ts";
import { bypassProxy } from "../local/process/bypass-proxy.ts";
import { queueNames } from "../src/lib/queues/queue-names.ts";
import type { BenchStack } from "./bench-stack.ts";
import { send } from "./warm-http.ts";

const version = { "x-ms-version": "2025-11-05" };

type QueueName = "pool" | "deletion";

interface BareMessage {
  readonly text: string;
  readonly id: string;
  readonly popReceipt: string;
}

export interface BareCalls {
  /** Takes one message off a queue: its text, id and receipt. */
  receive(queue?: QueueName): Promise<BareMessage>;
  find(name: string): Promise<{ id: number }>;
  patch(id: number, fields: object): Promise<void>;
  remove(message: BareMessage, queue?: QueueName): Promise<void>;
  put(queue: QueueName, text: string): Promise<void>;
  /** Whether a conference of this name is running. */
  isLive(name: string): Promise<boolean>;
  deleteRoom(id: number): Promise<void>;
  createRoom(fields: object): Promise<void>;
  listPages(limit: number): Promise<number>;
}

/** Queue calls carry a shared access signature in their address, so that nothing is signed while it is measured. */
export function createBareCalls({ connectionString, platformUrl }: BenchStack): BareCalls {
  bypassProxy();
  const service = QueueServiceClient.fromConnectionString(connectionString);
  const signed = async (queueName: string) => {
    await service.getQueueClient(queueName).createIfNotExists();
    const url = service.getQueueClient(queueName).generateSasUrl({
      permissions: QueueSASPermissions.parse("raup"),
      expiresOn: new Date(Date.now() + 3_600_000),
    });
    return url.split("?") as [string, string];
  };
  const queues = { pool: signed(queueNames.pool), deletion: signed(queueNames.deletion) };
  const credentials = `${identities.platformUsername}:${identities.platformPassword}`;
  const headers = {
    authorization: `Basic ${Buffer.from(credentials).toString("base64")}`,
    accept: "application/json",
    "content-type": "application/json",
  };
  const path = "/api/admin/configuration/v1/conference/";

  return {
    async receive(queue = "pool") {
      const [url, signature] = await queues[queue];
      const query = `numofmessages=1&visibilitytimeout=300&${signature}`;
      const { text } = await send("GET", `${url}/messages?${query}`, { headers: version });
      const part = (tag: string) => new RegExp(`<${tag}>(.*?)</${tag}>`).exec(text)?.[1] ?? "";
      return { text: part("MessageText"), id: part("MessageId"), popReceipt: part("PopReceipt") };
    },
    async find(name) {
      const { text } = await send("GET", `${platformUrl}${path}?name=${encodeURIComponent(name)}`, {
        headers,
      });
      const [row] = (JSON.parse(text) as { objects: { id: number }[] }).objects;
      if (!row) throw new Error(`no room ${name}`);
      return row;
    },
    async patch(id, fields) {
      await expect(
        202,
        send("PATCH", `${platformUrl}${path}${id}/`, { headers, body: JSON.stringify(fields) }),
      );
    },
    async remove({ id, popReceipt }, queue = "pool") {
      const [url, signature] = await queues[queue];
      const query = `popreceipt=${encodeURIComponent(popReceipt)}&${signature}`;
      await expect(204, send("DELETE", `${url}/messages/${id}?${query}`, { headers: version }));
    },
    async put(queue, text) {
      const [url, signature] = await queues[queue];
      const body = `<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`;
      await expect(
        201,
        send("POST", `${url}/messages?messagettl=-1&${signature}`, { headers: version, body }),
      );
    },
    async createRoom(fields) {
      await expect(201, send("POST", `${platformUrl}${path}`, { headers, body: JSON.stringify(fields) }));
    },
    async isLive(name) {
      const query = `name=${encodeURIComponent(name)}`;
      const { text } = await send("GET", `${platformUrl}/api/admin/status/v1/conference/?${query}`, {
        headers,
      });
      return (JSON.parse(text) as { objects: unknown[] }).objects.length > 0;
    },
    async deleteRoom(id) {
      await expect(204, send("DELETE", `${platformUrl}${path}${id}/`, { headers }));
    },
    async listPages(limit) {
      let rows = 0;
      for (let next: string | null = `${path}?limit=${limit}&order_by=name`; next !== null; ) {
        const { text }: { text: string } = await send("GET", `${platformUrl}${next}`, { headers });
        const page = JSON.parse(text) as { meta: { next: string | null }; objects: unknown[] };
        rows += page.objects.length;
        next = page.meta.next;
      }
      return rows;
    },
  };
}

async function expect(status: number, answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status: given, text } = await answer;
  if (given !== status) throw new Error(`expected ${status}, got ${given}: ${text.slice(0, 200)}`);
}
