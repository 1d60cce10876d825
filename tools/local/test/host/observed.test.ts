/** The local host gives the answers that the real host was seen to give. */
import { describe, expect, test } from "vitest";
import {
  bodyVectors,
  headerVectors,
  hostName,
  pathVectors,
  queryVectors,
  refusedTargets,
  resultVectors,
  routeVectors,
  type Vector,
} from "./observed-vectors.ts";
import { sendRaw } from "./raw-request.ts";
import { useTestHost } from "./test-host.ts";

const running = useTestHost("probe-app.ts");
const send = async (vector: Omit<Vector, "answer">) => sendRaw(running.host.url, hostName, vector);

async function answerTo(vector: Omit<Vector, "answer">) {
  const answer = await send(vector);
  const { Date: date, Connection: connection, ...headers } = answer.headers;
  expect(Number.isNaN(Date.parse(date ?? ""))).toBe(false);
  expect(connection).toBe("close");
  return { status: answer.status, headers, body: answer.body.toString("utf8") };
}

describe.each([
  ["routes", routeVectors],
  ["bodies", bodyVectors],
  ["results", resultVectors],
  ["headers", headerVectors],
])("%s", (_section, vectors) => {
  for (const [index, { answer, ...request }] of vectors.entries()) {
    test(`${index + 1}. ${request.request} ${(request.headers ?? []).join(", ")}`, async () => {
      expect(await answerTo(request)).toEqual(answer);
    });
  }
});

describe("paths", () => {
  test.each(pathVectors)("%s", async (target, params, path) => {
    const answer = await answerTo({ request: `GET ${target}` });
    expect(JSON.parse(answer.body)).toMatchObject({
      params,
      url: `http://${hostName}${path}`,
      query: [],
      qobj: {},
    });
  });

  test.each(refusedTargets)("%s is refused", async (target) => {
    expect(await answerTo({ request: `GET ${target}` })).toMatchObject({ status: 400, body: "" });
  });

  test("Dot segments are resolved before routing", async () => {
    expect(await answerTo({ request: "GET /p/." })).toMatchObject({ status: 404, body: "" });
    expect((await answerTo({ request: "GET /p/%2E%2E" })).headers["Content-Type"]).toBe("text/html");
    expect((await answerTo({ request: "GET /p/../ping" })).body).toContain('"fn":"ping"');
  });
});

describe("queries", () => {
  test.each(queryVectors)("%s", async (query, entries) => {
    const answer = await answerTo({ request: `GET /p/x${query}` });
    expect(JSON.parse(answer.body)).toMatchObject({
      url: `http://${hostName}/p/x${query}`,
      query: Object.entries(entries),
      qobj: entries,
    });
  });
});

test("GET / returns the home page", async () => {
  const answer = await answerTo({ request: "GET /" });
  expect(answer.status).toBe(200);
  expect(answer.headers).toEqual({
    Server: "Kestrel",
    "Content-Type": "text/html",
    "Content-Length": String(Buffer.byteLength(answer.body)),
  });
  expect(answer.body).toMatch(/^<!DOCTYPE html>/);
});

test("A response of bytes is sent unchanged", async () => {
  const answer = await send({ request: "GET /r/buf" });
  expect([...answer.body]).toEqual([1, 2, 3, 255]);
  expect(answer.headers["Content-Type"]).toBe("application/octet-stream");
});

test("The app's Date header replaces the server's", async () => {
  const answer = await send({ request: "GET /h/date" });
  expect(answer.headers["Date"]).toBe("Thu, 01 Jan 1970 00:00:00 GMT");
});

test("A body with the app's own Transfer-Encoding is sent unframed", async () => {
  const answer = await send({ request: "GET /h/te" });
  expect(answer.headers["Transfer-Encoding"]).toBe("chunked");
  expect(answer.rawBody.toString()).toBe("hello");
});
