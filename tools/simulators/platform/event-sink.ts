/** The event sink: each conferencing node posts its events in order, one at a time, until each is delivered. */
import { setTimeout as delay } from "node:timers/promises";
import type { EmitEvent } from "./live.ts";
import { unixSeconds } from "./times.ts";

interface SinkSettings {
  readonly url: string;
  /** Without a user name, events are posted without credentials. */
  readonly username?: string;
  readonly password?: string;
  readonly initialBackoffSeconds?: number;
}

const timeoutMilliseconds = 7000;

/** Creates the sink. Unlike the platform, it never gives up. */
export function createEventSink(now: () => number) {
  let settings: SinkSettings | undefined;
  const publishers = new Map<string, NodePublisher>();

  /** Queues an event on its node. Without a configured sink, nothing is posted. */
  const emit: EmitEvent = (node, event, data) => {
    const current = settings;
    if (!current) return;
    let publisher = publishers.get(node);
    if (!publisher) {
      publisher = createNodePublisher(node, () => settings ?? current);
      publishers.set(node, publisher);
      publisher.add("eventsink_started", {}, unixSeconds(now()));
    }
    publisher.add(event, data, unixSeconds(now()));
  };

  return {
    emit,
    configure: (given: SinkSettings): void => {
      settings = given;
    },
    state: () => {
      const nodes = [...publishers.values()].map((publisher) => publisher.state());
      const sum = (key: "queued" | "delivered" | "failedAttempts") =>
        nodes.reduce((total, node) => total + node[key], 0);
      return {
        url: settings?.url,
        queued: sum("queued"),
        delivered: sum("delivered"),
        failedAttempts: sum("failedAttempts"),
      };
    },
    /** Resolves when every node has posted its queued events. */
    idle: async (): Promise<void> => {
      await Promise.all([...publishers.values()].map(async (publisher) => publisher.idle()));
    },
    /** Ends every publisher, drops its queue and removes the sink. */
    clear: (): void => {
      for (const publisher of publishers.values()) publisher.close();
      publishers.clear();
      settings = undefined;
    },
  };
}

type NodePublisher = ReturnType<typeof createNodePublisher>;

function createNodePublisher(node: string, settings: () => SinkSettings) {
  const queue: object[] = [];
  const closing = new AbortController();
  let running: Promise<void> | undefined;
  let [seq, delivered, failedAttempts] = [0, 0, 0];

  async function run(): Promise<void> {
    let { initialBackoffSeconds: backoffSeconds = 1 } = settings();
    while (queue.length > 0 && !closing.signal.aborted) {
      if (await postEvent(queue[0], settings(), closing.signal)) {
        queue.shift();
        delivered += 1;
        ({ initialBackoffSeconds: backoffSeconds = 1 } = settings());
        continue;
      }
      failedAttempts += 1;
      await delay(backoffSeconds * 1000, undefined, { signal: closing.signal }).catch(() => undefined);
      backoffSeconds *= 2;
    }
  }

  function start(): void {
    if (running || closing.signal.aborted) return;
    running = run().finally(() => {
      running = undefined;
      if (queue.length > 0) start();
    });
  }

  return {
    add: (event: string, data: unknown, time: number): void => {
      seq += 1;
      queue.push({ node, seq, version: 2, time, event, data });
      start();
    },
    close: () => closing.abort(),
    state: () => ({ queued: queue.length, delivered, failedAttempts }),
    idle: async (): Promise<void> => {
      while (running) await running;
    },
  };
}

/** Returns true for a 2xx within the timeout; everything else, including redirects, is a failed attempt. */
async function postEvent(body: unknown, settings: SinkSettings, closing: AbortSignal): Promise<boolean> {
  const { url, username = "", password = "" } = settings;
  const credentials = Buffer.from(`${username}:${password}`).toString("base64");
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(username !== "" && { authorization: `Basic ${credentials}` }),
      },
      body: JSON.stringify(body),
      redirect: "manual",
      signal: AbortSignal.any([closing, AbortSignal.timeout(timeoutMilliseconds)]),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
