/** Receives the server's stream and keeps what the page draws. */
import { useEffect, useState } from "preact/hooks";
import type { Addresses, Greeting, HistoryPoint, Snapshot, TimelineEntry } from "../console-state.ts";

const maxPoints = 600;
const maxEntries = 1000;

export interface LiveData {
  readonly isConnected: boolean;
  readonly addresses: Addresses | undefined;
  readonly deletedAfterSeconds: number;
  readonly snapshot: Snapshot | undefined;
  readonly history: readonly HistoryPoint[];
  /** Oldest first. */
  readonly entries: readonly TimelineEntry[];
}

const empty: LiveData = {
  isConnected: false,
  addresses: undefined,
  deletedAfterSeconds: 0,
  snapshot: undefined,
  history: [],
  entries: [],
};

export function useLiveData(): LiveData {
  const [data, setData] = useState(empty);
  useEffect(() => {
    const stream = new EventSource("/events");
    const on = <Message>(event: string, apply: (data: LiveData, message: Message) => LiveData): void => {
      stream.addEventListener(event, ({ data: text }: MessageEvent<string>) => {
        const message: Message = JSON.parse(text);
        setData((current) => apply(current, message));
      });
    };
    on<Greeting>("greeting", (current, greeting) => ({
      ...greeting,
      isConnected: true,
      snapshot: current.snapshot,
    }));
    on<Snapshot>("snapshot", (current, snapshot) => ({
      ...current,
      snapshot,
      history: [...current.history.filter(({ time }) => time < snapshot.time), snapshot].slice(-maxPoints),
    }));
    on<TimelineEntry>("entry", (current, entry) => ({
      ...current,
      entries: [...current.entries.filter(({ id }) => id !== entry.id), entry].slice(-maxEntries),
    }));
    stream.addEventListener("error", () => setData((current) => ({ ...current, isConnected: false })));
    return () => stream.close();
  }, []);
  return data;
}
