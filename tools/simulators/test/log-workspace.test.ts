/** The log workspace keeps the newest lines of the app's log. */
import { expect, test } from "vitest";
import * as z from "zod";
import { useStarted } from "../../../test/support/use-started.ts";
import { startLogWorkspace } from "../services/log-workspace.ts";

const workspace = useStarted(startLogWorkspace);

test("The newest 20,000 lines are kept, and everything but JSON objects is left out", async () => {
  for (const text of ["no JSON", "[1]", "null"]) workspace.addTrace(text);
  for (let number = 1; number <= 20_002; number++) workspace.addTrace(JSON.stringify({ number }));
  const traces = z.array(z.object({ fields: z.unknown() }));
  const kept = traces.parse(await (await fetch(`${workspace.url}/control/traces`)).json());
  expect([kept.length, kept[0]?.fields, kept.at(-1)?.fields]).toEqual([
    20_000,
    { number: 3 },
    { number: 20_002 },
  ]);
});
