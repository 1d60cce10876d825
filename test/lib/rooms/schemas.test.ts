/** The schemas and contracts are those that openapi.json publishes. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { documentText } from "../../../scripts/openapi/document.ts";

test("`openapi.json` is what `npm run openapi` would write", async () => {
  expect(readFileSync("openapi.json", "utf8"), "run `npm run openapi`").toBe(await documentText());
});
