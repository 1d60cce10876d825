/** Reads what the page draws from the server, and keeps the last of it when the server does not respond. */
import { useEffect, useState } from "preact/hooks";
import type { Shown } from "../console-state.ts";

export interface LiveData extends Shown {
  readonly isConnected: boolean;
}

const pauseMilliseconds = 500;

/** Returns what the server said last; undefined before its first response. */
export function useLiveData(): LiveData | undefined {
  const [data, setData] = useState<LiveData>();
  useEffect(() => {
    async function read(): Promise<void> {
      const shown: Shown | undefined = await fetch("/state")
        .then(async (response) => response.json())
        .catch(() => undefined);
      setData((last) => (shown ? { ...shown, isConnected: true } : last && { ...last, isConnected: false }));
      setTimeout(() => void read(), pauseMilliseconds);
    }
    void read();
  }, []);
  return data;
}
