/** The histories that every `npm test` runs. */
import type { ExploreOptions } from "./explore.ts";

export const shortRunHistories = 2000;

export const shortRun: ExploreOptions = {
  firstSeed: 1,
  goesOn: (histories) => histories < shortRunHistories,
};
