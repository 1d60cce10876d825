/** Log lines: one JSON object each, with the chain of causes. */
import { InvocationContext } from "@azure/functions";
import { expect, test } from "vitest";
import { createLog } from "../../src/lib/log.ts";

function start() {
  const lines: { level: string; line: Record<string, unknown> }[] = [];
  const context = new InvocationContext({
    functionName: "createRoom",
    invocationId: "i-1",
    logHandler: (level, ...parts) => void lines.push({ level, line: JSON.parse(String(parts[0])) }),
  });
  return { log: createLog(context), lines };
}

test("a line contains level, event, function, invocation and fields", () => {
  const { log, lines } = start();
  log.info("room-claimed", { room: "room-a", count: 2, wasThere: false, code: null, absent: undefined });
  log.warn("pool-empty");
  log.error("claim-lost", { room: "room-a" });

  const common = { function: "createRoom", invocationId: "i-1", correlationId: "i-1" };
  expect(lines).toEqual([
    {
      level: "information",
      line: { event: "room-claimed", ...common, room: "room-a", count: 2, wasThere: false, code: null },
    },
    { level: "warning", line: { event: "pool-empty", ...common } },
    { level: "error", line: { event: "claim-lost", ...common, room: "room-a" } },
  ]);
});

test("a line contains only name, message and stack of an error and its causes", () => {
  const { log, lines } = start();
  const inner = Object.assign(new TypeError("inner"), { config: { headers: { Authorization: "secret-1" } } });
  const outer = Object.assign(new Error("outer", { cause: inner }), {
    response: { data: "secret-2" },
    code: "X",
  });
  log.error("request-failed", {}, outer);

  expect(lines[0]?.line["causes"]).toEqual([
    { name: "Error", message: "outer", stack: outer.stack },
    { name: "TypeError", message: "inner", stack: inner.stack },
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/secret-[12]/);
});

test.each([["a string with a secret"], [{ password: "secret" }]])(
  "a line contains only the type of a cause that is not an error (%j)",
  (cause) => {
    const { log, lines } = start();
    log.warn("odd", {}, cause);
    expect(lines[0]?.line["causes"]).toEqual([{ message: `not an error but ${typeof cause}` }]);
  },
);

test("a line contains at most six causes, even if the chain is circular", () => {
  const { log, lines } = start();
  const circle = new Error("circle");
  circle.cause = circle;
  log.error("deep", {}, circle);
  expect(lines[0]?.line["causes"]).toHaveLength(6);
});

test("a line break in a value does not start a new line", () => {
  const texts: string[] = [];
  const context = new InvocationContext({ logHandler: (_, text) => void texts.push(String(text)) });
  createLog(context).warn("odd", { room: "a\nfake: line\r\n" });
  expect(texts[0]).not.toMatch(/[\r\n]/);
});
