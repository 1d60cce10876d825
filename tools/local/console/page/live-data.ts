/** Receives the server's stream and keeps what the page draws. */
import { useEffect, useState } from "preact/hooks";
import { type Greeting, type Snapshot, type TimelineEntry, withNewest } from "../console-state.ts";

const maxPoints = 600;

export interface LiveData extends Omit<Greeting, "addresses"> {
  readonly isConnected: boolean;
  readonly addresses?: Greeting["addresses"];
  readonly snapshot?: Snapshot;
}

const empty: LiveData = {
  isConnected: false,
  pooledAfterSeconds: 0,
  deletedAfterSeconds: 0,
  history: [],
  entries: [],
};

export function useLiveData(): LiveData {
  const [data, setData] = useState(empty);
  useEffect(() => {
    const stream = new EventSource("/events");
    const on = <Message>(
      event: string,
      apply: (message: Message, data: LiveData) => Partial<LiveData>,
    ): void => {
      stream.addEventListener(event, ({ data: text }: MessageEvent<string>) => {
        const message: Message = JSON.parse(text);
        setData((current) => ({ ...current, ...apply(message, current) }));
      });
    };
    on<Greeting>("greeting", (greeting) => ({ ...greeting, isConnected: true }));
    on<Snapshot>("snapshot", (snapshot, { history }) => ({
      snapshot,
      history: [...history.filter(({ time }) => time < snapshot.time), snapshot].slice(-maxPoints),
    }));
    on<TimelineEntry>("entry", (entry, { entries }) => ({ entries: withNewest(entries, entry) }));
    stream.addEventListener("error", () => setData((current) => ({ ...current, isConnected: false })));
    return () => stream.close();
  }, []);
  return data;
}
