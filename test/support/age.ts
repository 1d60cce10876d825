/** Finds what shows only when an object is older than a test: places not given back, limits made once, counters never reset. */
import { expect } from "vitest";

/** Uses one object many times, and expects that the last use sees what the second one saw. Returns what it saw. */
export async function useManyTimes<Seen>(use: () => Promise<Seen>, times = 200): Promise<Seen> {
  // The first use may open or learn something.
  await use();
  const early = await use();
  let late = early;
  for (let time = 3; time <= times; time++) late = await use();
  expect(late).toEqual(early);
  return late;
}
