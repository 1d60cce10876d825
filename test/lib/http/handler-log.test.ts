/** What a request leaves in the log: how it ended and how long it took, and of a failure its cause; and what it was asked. */
import { type HttpHandler, HttpRequest, InvocationContext } from "@azure/functions";
import { expect, test } from "vitest";
import { z } from "zod";
import type { AccessChecks } from "../../../src/lib/auth/access.ts";
import { GatewayError } from "../../../src/lib/errors.ts";
import { toHandler } from "../../../src/lib/http/handler.ts";
import { json, queryFunction } from "../../../src/lib/http/http-function.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const allow = async () => undefined;
const accessChecks: AccessChecks = { application: allow, agent: allow, "event-sink": allow, anyone: allow };

/** Answers a request whose handling takes 1.5 s and ends as `handle` does. */
async function answer(handle: (query: unknown) => object, url = "http://127.0.0.1/x") {
  const clock = createManualClock();
  const lines: Record<string, unknown>[] = [];
  const definition = queryFunction({
    method: "GET",
    route: "x",
    access: "anyone",
    summary: "x",
    description: "x",
    failures: [],
    responses: { 200: z.object({}) },
    query: z.record(z.string(), z.string()),
    handle({ query }) {
      clock.advance(1.5);
      return json(200, handle(query));
    },
  });
  const handler: HttpHandler = toHandler(definition, { accessChecks, clock });
  const response = await handler(
    new HttpRequest({ method: "GET", url }),
    new InvocationContext({
      functionName: "test",
      invocationId: "i-1",
      logHandler: (level, line) => void lines.push({ level, ...JSON.parse(String(line)) }),
    }),
  );
  return { lines, body: typeof response.body === "string" ? response.body : "" };
}
const fail = (error: unknown) => () => {
  throw error;
};

test("a success is one line, with its duration in milliseconds and no failure", async () => {
  const { lines } = await answer(() => ({}));
  expect(lines).toEqual([
    {
      level: "information",
      event: "request",
      function: "test",
      invocationId: "i-1",
      status: 200,
      durationMilliseconds: 1500,
    },
  ]);
});

test("a failure that is not the caller's is an error with its chain of causes", async () => {
  const cause = new TypeError("reset");
  for (const code of ["platform-rejected", "platform-unavailable"] as const) {
    const { lines } = await answer(fail(new GatewayError(code, { cause })));
    expect(lines).toMatchObject([
      { level: "error", event: code, causes: [{ message: code }, { message: "reset" }] },
      { event: "request", code, durationMilliseconds: 1500 },
    ]);
  }
});

test("a failure of the caller's is a warning when there is a cause, and no line of its own without one", async () => {
  const cause = new Error("not verified");
  const { lines } = await answer(fail(new GatewayError("unauthenticated", { cause })));
  expect(lines).toMatchObject([
    { level: "warning", event: "unauthenticated", causes: [{ message: "not verified" }] },
    { level: "information", event: "request", status: 401, code: "unauthenticated" },
  ]);

  const plain = await answer(fail(new GatewayError("unauthenticated")));
  expect(plain.lines).toMatchObject([{ event: "request", status: 401 }]);
});

test("an unexpected error is told from every expected one", async () => {
  const { lines } = await answer(fail(new TypeError("broken")));
  expect(lines).toMatchObject([
    { level: "error", event: "request-failed", causes: [{ name: "TypeError", message: "broken" }] },
    { level: "information", event: "request", status: 500, code: "unexpected" },
  ]);
});

test("of a query parameter that is given twice the last one counts, as FastAPI has it", async () => {
  const { body } = await answer((query) => ({ query }), "http://127.0.0.1/x?max_vmr=1&max_vmr=2");
  expect(JSON.parse(body)).toEqual({ query: { max_vmr: "2" } });
});
