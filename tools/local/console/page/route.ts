/** The page's address: `#/room/NAME` shows one room. */
import { useEffect, useState } from "preact/hooks";

export function roomAddress(name: string): string {
  return `#/room/${encodeURIComponent(name)}`;
}

/** Returns the name of the shown room, or undefined on the overview. */
export function useShownRoom(): string | undefined {
  const [name, setName] = useState(readRoom);
  useEffect(() => {
    const update = (): void => setName(readRoom());
    window.addEventListener("hashchange", update);
    return () => window.removeEventListener("hashchange", update);
  }, []);
  return name;
}

function readRoom(): string | undefined {
  const [, name] = /^#\/room\/(.+)$/.exec(location.hash) ?? [];
  return name === undefined ? undefined : decodeURIComponent(name);
}
