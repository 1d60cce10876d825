/** Log lines: one JSON object each, with the chain of causes. */
import { InvocationContext } from "@azure/functions";
import { beforeEach, expect, test } from "vitest";
import { GatewayError } from "../../src/lib/errors.ts";
import { createLog, type Log } from "../../src/lib/log.ts";
import { PlatformError } from "../../src/lib/platform/errors.ts";
import { QueueError } from "../../src/lib/queue.ts";

let log: Log;
let texts: string[];
let lines: Record<string, unknown>[];
beforeEach(() => {
  [texts, lines] = [[], []];
  const logHandler = (level: string, text: unknown) => {
    texts.push(String(text));
    lines.push({ level, ...JSON.parse(String(text)) });
  };
  log = createLog(new InvocationContext({ functionName: "createRoom", invocationId: "i-1", logHandler }));
});

test("A line has no line break, whatever its fields contain", () => {
  const fields = { room: "a\nfake: line\r\n", count: 0, wasThere: false, code: null };
  log.info("room-updated", fields);
  expect(lines).toMatchObject([{ level: "information", event: "room-updated", ...fields }]);
  expect(texts.join("")).not.toMatch(/[\r\n]/);
});

test("A line keeps its origin, whatever its fields contain", () => {
  log.warn("contact-centre-unavailable", { correlationId: null, invocationId: "i-2", function: "other" });
  expect(lines).toMatchObject([{ correlationId: "i-1", invocationId: "i-1", function: "createRoom" }]);
});

test("A line contains only name, message and stack of an error and its causes", () => {
  const inner = Object.assign(new TypeError("inner"), { config: { headers: { Authorization: "secret-1" } } });
  const outer = new Error("outer", { cause: inner });
  log.error("request-failed", {}, Object.assign(outer, { response: { data: "secret-2" }, code: "X" }));

  expect(lines[0]?.["causes"]).toEqual([
    { name: "Error", message: "outer", stack: outer.stack },
    { name: "TypeError", message: "inner", stack: inner.stack },
  ]);
});

const body = { conference: { pin: ["482913"] }, conference_alias: {} };
const rejected = { outcome: "refused", message: "POST", method: "POST", status: 400, body } as const;
test.each([
  [new GatewayError("storage-unavailable"), { failure: "storage-unavailable" }],
  [
    new PlatformError(rejected),
    { failure: "platform-rejected", platformMethod: "POST", platformStatus: 400, rejectedFields: "pin" },
  ],
  [new QueueError("unknown", "queue put"), { failure: "storage-unavailable" }],
])(
  "A line has the gateway's own error, what it says about a failed call, and no value: %s",
  (error, fields) => {
    log.error("request-failed", {}, error);
    const { name, message } = error;
    expect(lines).toMatchObject([{ ...fields, causes: [{ name, message }] }]);
    expect(texts.join("")).not.toContain("482913");
  },
);

test.each([
  ["string", "with a secret"],
  ["object", { password: "secret" }],
])("A line contains only the type of a cause that is not an error: %s", (type, cause) => {
  log.warn("odd", {}, cause);
  expect(lines[0]?.["causes"]).toEqual([{ message: `not an error but ${type}` }]);
});

test("A line contains at most six causes, even if the chain is circular", () => {
  const circle = new Error("circle");
  circle.cause = circle;
  log.error("deep", {}, circle);
  expect(lines[0]?.["causes"]).toHaveLength(6);
});
