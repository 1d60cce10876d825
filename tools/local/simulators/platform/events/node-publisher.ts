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

export type NodePublisher = ReturnType<typeof createNodePublisher>;

export function createNodePublisher(options: {
  node: string;
  settings: () => SinkSettings;
  onGiveUp: () => void;
}) {
  const { node, settings, onGiveUp } = options;
  const queue: Envelope[] = [];
  const closing = new AbortController();
  let waking = new AbortController();
  let running: Promise<void> | undefined;
  let [seq, delivered, failedAttempts, stopped] = [0, 0, 0, false];

  async function run(): Promise<void> {
    let backoffSeconds = settings().initialBackoffSeconds;
    while (queue.length > 0 && !closing.signal.aborted) {
      if (await postEvent(queue[0], settings(), closing.signal)) {
        queue.shift();
        delivered += 1;
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
      if (queue.length > 0) start();
    });
  }

  return {
    add: (event: string, data: unknown, time: number) => {
      seq += 1;
      queue.push({ node, seq, version: 2, time, event, data });
      start();
    },
    /** Sends the next post at once instead of waiting for the back-off. */
    wake: () => waking.abort(),
    close: () => closing.abort(),
    state: () => ({ queued: queue.length, delivered, failedAttempts, seq, stopped }),
    /** Resolves when nothing is queued or the publisher has stopped. */
    idle: async () => {
      while (running) await running;
    },
  };
}
