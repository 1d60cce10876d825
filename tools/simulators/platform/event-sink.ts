/** The event sink: each conferencing node posts its events in order, one at a time, until each is delivered. */
import { setTimeout as delay } from "node:timers/promises";
import PQueue from "p-queue";
import type { EmitEvent } from "./live.ts";

interface SinkSettings {
  readonly url: string;
  /** Without a user name, events are posted without credentials. */
  readonly username?: string;
  readonly password?: string;
}

const timeoutMilliseconds = 7000;

/** Creates the sink. Unlike the platform, it never gives up. */
export function createEventSink(now: () => number) {
  let settings: SinkSettings | undefined;
  let closing = new AbortController();
  const nodes = new Map<string, { readonly events: PQueue; seq: number }>();

  async function deliver(body: object, closed: AbortSignal): Promise<void> {
    let backoffSeconds = 1;
    while (settings && !closed.aborted) {
      if (await postEvent(body, settings, closed)) return;
      await delay(backoffSeconds * 1000, undefined, { signal: closed }).catch(() => undefined);
      backoffSeconds *= 2;
    }
  }

  function add(node: string, event: string, data: unknown): void {
    const known = nodes.get(node) ?? { events: new PQueue({ concurrency: 1 }), seq: 0 };
    nodes.set(node, known);
    known.seq += 1;
    const body = { node, seq: known.seq, version: 2, time: now() / 1000, event, data };
    const { signal } = closing;
    void known.events.add(async () => deliver(body, signal));
  }

  /** Queues an event on its node. Without a configured sink, nothing is posted. */
  const emit: EmitEvent = (node, event, data) => {
    if (!settings) return;
    if (!nodes.has(node)) add(node, "eventsink_started", {});
    add(node, event, data);
  };

  return {
    emit,
    configure: (given: SinkSettings): void => {
      settings = given;
    },
    state: () => {
      const depths = [...nodes.values()].map(({ events }) => events.size + events.pending);
      const queued = depths.reduce((sum, depth) => sum + depth, 0);
      return { url: settings?.url, queued };
    },
    /** Resolves when every node has posted its queued events. */
    idle: async (): Promise<void> => {
      await Promise.all(Array.from(nodes.values(), async ({ events }) => events.onIdle()));
    },
    /** Drops every queue, and removes the sink. */
    clear: (): void => {
      closing.abort();
      closing = new AbortController();
      nodes.clear();
      settings = undefined;
    },
  };
}

/** Returns true for a 2xx within the timeout; everything else, including redirects, is a failed attempt. */
async function postEvent(body: object, settings: SinkSettings, closing: AbortSignal): Promise<boolean> {
  const { url, username = "", password = "" } = settings;
  const credentials = Buffer.from(`${username}:${password}`).toString("base64");
  const headers = {
    "content-type": "application/json",
    ...(username !== "" && { authorization: `Basic ${credentials}` }),
  };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
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
