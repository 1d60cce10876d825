/** The event sink as configured on the platform: one publisher per conferencing node. */
import type * as z from "zod";
import type { Alarms } from "../model/alarms.ts";
import { type Clock, unixSeconds } from "../model/clock.ts";
import { type SinkSettings, type sinkChangesSchema, sinkSettings } from "./event-post.ts";
import type { EmitEvent } from "./events.ts";
import { createNodePublisher, type NodePublisher } from "./node-publisher.ts";

export function createEventSink(clock: Clock, alarms: Alarms) {
  let settings: SinkSettings | undefined;
  const publishers = new Map<string, NodePublisher>();
  const now = (): number => unixSeconds(clock.now());

  function publisherOf(node: string, current: SinkSettings): NodePublisher {
    const known = publishers.get(node);
    if (known) return known;
    const publisher = createNodePublisher({
      node,
      settings: () => settings ?? current,
      onGiveUp: () => alarms.raise({ name: "eventsink_maximum_backoff", level: "error", details: "", node }),
    });
    publishers.set(node, publisher);
    publisher.add("eventsink_started", {}, now());
    return publisher;
  }

  /** Queues an event on its node. Without a configured sink, nothing is posted. */
  const emit: EmitEvent = (node, event, data) => {
    if (settings) publisherOf(node, settings).add(event, data, now());
  };

  return {
    emit,
    /** Changes settings of the sink, or creates it if there is none, which needs `url`. */
    configure: (changes: z.output<typeof sinkChangesSchema>) => {
      settings = sinkSettings({ ...settings, ...changes });
      for (const publisher of publishers.values()) {
        publisher.add("eventsink_updated", {}, now());
        publisher.wake();
      }
    },
    state: () => ({
      settings,
      nodes: [...publishers].map(([node, publisher]) => ({ node, ...publisher.state() })),
    }),
    idle: async () => {
      await Promise.all([...publishers.values()].map((publisher) => publisher.idle()));
    },
    /** Ends every publisher, drops its queue and removes the sink. */
    clear: () => {
      for (const publisher of publishers.values()) publisher.close();
      publishers.clear();
      settings = undefined;
    },
  };
}
