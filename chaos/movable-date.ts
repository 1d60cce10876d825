/** Replaces this process's `Date` by one that can be moved into the future, so that waiting times of hours pass at once. */

const RealDate = Date;
let aheadMilliseconds = 0;

globalThis.Date = new Proxy(RealDate, {
  construct(target, given, newTarget) {
    return Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget);
  },
  get(target, property, receiver) {
    return property === "now" ? now : Reflect.get(target, property, receiver);
  },
});

function now(): number {
  return RealDate.now() + aheadMilliseconds;
}

/** Moves this process's clock forward. */
export function moveDate(seconds: number): void {
  aheadMilliseconds += seconds * 1000;
}
