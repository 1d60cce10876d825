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
  const grantsOf = (name: Line) => lines.find((line) => line.name === name)?.grants ?? [];

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
    waiting: (line: Line) => grantsOf(line).length,
    /** Waits in a line for a place. Returns undefined if none was free by `startBefore`, in clock milliseconds. */
    async enter(line: Line, startBefore: number): Promise<Place | undefined> {
      if (clock.now() >= startBefore) return undefined;
      const granted = new AbortController();
      const grant = () => granted.abort(null);
      grantsOf(line).push(grant);
      grantFreePlaces();
      if (!granted.signal.aborted)
        await clock.sleep(startBefore - clock.now(), granted.signal).catch(() => undefined);
      if (granted.signal.aborted) return place;
      grantsOf(line).splice(grantsOf(line).indexOf(grant), 1);
      return undefined;
    },
  };
}
