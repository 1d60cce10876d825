/** A bounded number of places, and the lines in which those who want one wait. */
import type { Clock } from "../ports.ts";

/** A place that was granted. Disposing of it gives it back. */
export type Place = Disposable;

/**
 * Creates places, none at first. A place that becomes free goes to the line whose last turn is older, and there to
 * whoever came first.
 */
export function createPlaces<Line extends string>(clock: Clock, ...lineNames: readonly Line[]) {
  let max = 0;
  let taken = 0;
  /** Those who wait, as functions that grant them a place. The line whose last turn is older comes first. */
  const lines = lineNames.map((name) => ({ name, grants: [] as (() => void)[] }));
  const lineOf = (name: Line) => lines.find((line) => line.name === name)?.grants ?? [];

  function grantFreePlaces(): void {
    while (taken < max) {
      const next = lines.findIndex(({ grants }) => grants.length > 0);
      const [line] = next < 0 ? [] : lines.splice(next, 1);
      if (!line) return;
      lines.push(line);
      taken += 1;
      line.grants.shift()?.();
    }
  }

  const place: Place = {
    [Symbol.dispose]() {
      taken -= 1;
      grantFreePlaces();
    },
  };

  return {
    setMax(value: number): void {
      max = value;
      grantFreePlaces();
    },
    taken: () => taken,
    waiting: (name: Line) => lineOf(name).length,
    /** Waits in a line for a place. Returns undefined if none was free by `startBefore`, in clock milliseconds. */
    async enter(name: Line, startBefore: number): Promise<Place | undefined> {
      if (clock.now() >= startBefore) return undefined;
      const { promise: granted, resolve: grant } = Promise.withResolvers<void>();
      const line = lineOf(name);
      line.push(grant);
      grantFreePlaces();
      if (line.includes(grant)) {
        const ended = new AbortController();
        const timeout = clock.sleep(startBefore - clock.now(), ended.signal).catch(() => undefined);
        await Promise.race([granted, timeout]);
        ended.abort(null);
      }
      if (!line.includes(grant)) return place;
      line.splice(line.indexOf(grant), 1);
      return undefined;
    },
  };
}
