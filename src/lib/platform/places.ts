/** A bounded number of places, and the lines in which those who want one wait. */
import type { Clock } from "../ports.ts";

/** A place that was granted. Giving it back twice has no effect. */
export type Place = Disposable;

interface Waiting {
  readonly grant: () => void;
}

/**
 * Creates places for `max` users at once, which may change. A place that becomes free goes to the line whose last turn
 * is older, and there to whoever came first.
 */
export function createPlaces<Line extends string>(lineNames: readonly Line[], clock: Clock) {
  let max = 0;
  let taken = 0;
  const waiting = new Map<Line, Waiting[]>(lineNames.map((name) => [name, []]));
  /** The line whose last turn is oldest comes first. */
  const turns = [...lineNames];

  const lineOf = (name: Line) => waiting.get(name) ?? [];

  function grantFreePlaces(): void {
    while (taken < max) {
      const next = turns.find((name) => lineOf(name).length > 0);
      if (next === undefined) return;
      turns.push(...turns.splice(turns.indexOf(next), 1));
      taken += 1;
      lineOf(next).shift()?.grant();
    }
  }

  function newPlace(): Place {
    let isGivenBack = false;
    return {
      [Symbol.dispose]() {
        if (isGivenBack) return;
        isGivenBack = true;
        taken -= 1;
        grantFreePlaces();
      },
    };
  }

  return {
    setMax(value: number): void {
      max = value;
      grantFreePlaces();
    },
    free: () => Math.max(0, max - taken),
    taken: () => taken,
    waiting: (name: Line) => lineOf(name).length,
    /** Waits in a line for a place. Returns undefined if none was free by `startBefore`, in clock milliseconds. */
    async enter(name: Line, startBefore: number): Promise<Place | undefined> {
      if (clock.now() >= startBefore) return undefined;
      const line = lineOf(name);
      const { promise, resolve } = Promise.withResolvers<Place | undefined>();
      const granted = new AbortController();
      const own: Waiting = {
        grant() {
          granted.abort(null);
          resolve(newPlace());
        },
      };
      line.push(own);
      grantFreePlaces();
      if (granted.signal.aborted) return promise;
      await Promise.race([
        promise,
        clock.sleep(startBefore - clock.now(), granted.signal).catch(() => undefined),
      ]);
      const index = line.indexOf(own);
      if (index >= 0) {
        line.splice(index, 1);
        resolve(undefined);
      }
      return promise;
    },
  };
}
