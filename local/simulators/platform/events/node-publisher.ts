/** Posts the events of one conferencing node, in order, one at a time, with retries until the maximum back-off. */
import { setTimeout as delay } from "node:timers/promises";
import { postEvent, type SinkSettings } from "./event-post.ts";

interface Envelope {
  readonly node: string;
  readonly seq: number;
  readonly version: 2;
  readonly time: number;
  readonly event: string;
  readonly data: unknown;
}

export interface NodePublisher {
  readonly add: (event: string, data: unknown, time: number) => void;
  /** Restarts `seq` at 1 and continues with the queued events, even after a stop. */
  readonly restart: () => void;
  /** Sends the next post at once instead of waiting for the back-off. */
  readonly wake: () => void;
  readonly close: () => void;
  readonly state: () => {
    queued: number;
    delivered: number;
    failedAttempts: number;
    seq: number;
    stopped: boolean;
  };
  /** Resolves when nothing is queued or the publisher has stopped. */
  readonly idle: () => Promise<void>;
}

const maxBatch = 100;

export function createNodePublisher(options: {
  node: string;
  settings: () => SinkSettings;
  random: () => number;
  onGiveUp: () => void;
}): NodePublisher {
  const { node, settings, random, onGiveUp } = options;
  const queue: Envelope[] = [];
  const closing = new AbortController();
  let waking = new AbortController();
  let running: Promise<void> | undefined;
  let [seq, delivered, failedAttempts, inFlight, stopped] = [0, 0, 0, 0, false];

  async function run(): Promise<void> {
    let backoffSeconds = settings().initialBackoffSeconds;
    while (queue.length > 0 && !closing.signal.aborted) {
      if (settings().bulk) await pause(settings().bulkIntervalSeconds);
      const batch = nextBatch(queue, settings().bulk);
      inFlight = batch.length;
      if (await postEvent(bulkOrSingle(batch, settings().bulk), settings(), closing.signal)) {
        if (random() < settings().duplicateShare) {
          await postEvent(bulkOrSingle(batch, settings().bulk), settings(), closing.signal);
        }
        queue.splice(0, batch.length);
        delivered += batch.length;
        backoffSeconds = settings().initialBackoffSeconds;
      } else {
        failedAttempts += 1;
        if (backoffSeconds > settings().maxBackoffSeconds) {
          stopped = true;
          onGiveUp();
          return;
        }
        await pause(backoffSeconds);
        backoffSeconds *= 2;
      }
      inFlight = 0;
    }
  }

  async function pause(seconds: number): Promise<void> {
    waking = new AbortController();
    const signal = AbortSignal.any([waking.signal, closing.signal]);
    await delay(seconds * 1000, undefined, { signal }).catch(() => undefined);
  }

  function start(): void {
    if (running || stopped || closing.signal.aborted) return;
    running = run().finally(() => {
      running = undefined;
      inFlight = 0;
      if (queue.length > 0) start();
    });
  }

  const add: NodePublisher["add"] = (event, data, time) => {
    seq += 1;
    const place = settings().shuffle
      ? inFlight + Math.floor(random() * (queue.length - inFlight + 1))
      : queue.length;
    queue.splice(place, 0, { node, seq, version: 2, time, event, data });
    start();
  };

  return {
    add,
    restart: () => {
      [seq, stopped] = [0, false];
      waking.abort();
      start();
    },
    wake: () => waking.abort(),
    close: () => closing.abort(),
    state: () => ({ queued: queue.length, delivered, failedAttempts, seq, stopped }),
    idle: async () => {
      while (running) await running;
    },
  };
}

function nextBatch(queue: Envelope[], bulk: boolean): Envelope[] {
  if (!bulk || isAboutTheSink(queue[0])) return queue.slice(0, 1);
  const end = queue.findIndex(isAboutTheSink);
  return queue.slice(0, Math.min(maxBatch, end < 0 ? queue.length : end));
}

/** Events about the sink itself are posted singly even by a bulk sink. */
const isAboutTheSink = (envelope: Envelope | undefined): boolean =>
  envelope?.event.startsWith("eventsink_") === true;

function bulkOrSingle(batch: Envelope[], bulk: boolean): unknown {
  const [first] = batch;
  if (!bulk || !first || isAboutTheSink(first)) return first;
  return { ...first, node: "127.0.0.1", seq: 0, event: "eventsink_bulk", data: batch };
}
