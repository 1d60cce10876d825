/** How FastAPI takes booleans in a query, and what it refuses. */

const words: Readonly<Record<"true" | "false", readonly string[]>> = {
  true: ["true", "True", "TRUE", "tRuE", "1", "on", "On", "t", "T", "y", "Y", "yes", "YES"],
  false: ["false", "False", "FALSE", "0", "off", "OFF", "f", "F", "n", "N", "no", "No"],
};

/** Each spelling with its meaning. */
export const acceptedBooleans: readonly (readonly [text: string, value: boolean])[] = [
  ...words.true.map((text) => [text, true] as const),
  ...words.false.map((text) => [text, false] as const),
];

/** Neither: 422 `bool_parsing`. */
export const refusedBooleans: readonly string[] = [
  "",
  " ",
  "maybe",
  "2",
  "-1",
  "1.0",
  "01",
  "tru",
  "yess",
  " true",
  "false ",
  "null",
  "wahr",
  "true,false",
];
