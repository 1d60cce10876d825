/** Receives the server's stream and keeps what the page draws. */
import { useEffect, useState } from "preact/hooks";
import { afterMessage, type Message, type Shown } from "../console-state.ts";

export interface LiveData extends Shown {
  readonly isConnected: boolean;
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
    stream.onmessage = ({ data: text }: MessageEvent<string>) => {
      const message: Message = JSON.parse(text);
      setData((current) => ({ ...afterMessage(current, message), isConnected: true }));
    };
    stream.onerror = () => setData((current) => ({ ...current, isConnected: false }));
    return () => stream.close();
  }, []);
  return data;
}
