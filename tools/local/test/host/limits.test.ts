/** What the host's web server refuses or passes before the app sees it. */
import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { hostName } from "./observed-vectors.ts";
import { sendBytes, sendRaw } from "./raw-request.ts";
import { startTestHost, useTestHost } from "./test-host.ts";

const running = useTestHost("probe-app.ts");
const send = async (request: string, ...headers: string[]) =>
  sendRaw(running.host.url, hostName, { request, headers });

const connectionBytes = "Connection: close\r\n".length;
const hostBytes = `Host: ${hostName}\r\n`.length;

function headerOfTotal(totalBytes: number): string {
  const nameAndFraming = "X-Long: \r\n".length;
  return `X-Long: ${"a".repeat(totalBytes - connectionBytes - hostBytes - nameAndFraming)}`;
}

test("Headers of 32 KiB in total pass; one byte more returns 431", async () => {
  const limit = 32 * 1024;
  const passed = await send("GET /user", headerOfTotal(limit));
  expect(passed.status).toBe(200);
  expect(passed.body.toString()).toContain("x-long");
  const refused = await send("GET /user", headerOfTotal(limit + 1));
  expect(refused).toMatchObject({ status: 431, headers: { Server: "Kestrel", "Content-Length": "0" } });
});

test("Headers beyond the parser's limit also return 431", async () => {
  expect((await send("GET /user", headerOfTotal(48 * 1024))).status).toBe(431);
});

test("A request line beyond 8 KiB returns 414", async () => {
  const around = "GET / HTTP/1.1\r\n".length;
  const longest = "a".repeat(8 * 1024 - around - "p/".length);
  expect((await send(`GET /p/${longest}`)).status).toBe(200);
  expect((await send(`GET /p/${longest}a`)).status).toBe(414);
});

test("Text that is not HTTP returns 400", async () => {
  expect((await send("no request")).status).toBe(400);
});

test("A header value in UTF-8 reaches the app decoded", async () => {
  const seen = await send("GET /user", "Authorization: é");
  expect(JSON.parse(seen.body.toString()).auth).toBe("é");
});

test("Parallel calls get their own results", async () => {
  const answers = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const answer = await fetch(`${running.host.url}/p/room-${index}`);
      return JSON.parse(await answer.text()).params.x;
    }),
  );
  expect(answers).toEqual(Array.from({ length: 50 }, (_, index) => `room-${index}`));
});

test("A slow call does not delay a fast one", async () => {
  let isSlowDone = false;
  const slow = fetch(`${running.host.url}/sleep?ms=1500`).then((answer) => {
    isSlowDone = true;
    return answer.text();
  });
  expect((await fetch(`${running.host.url}/ping`)).status).toBe(200);
  expect(isSlowDone).toBe(false);
  expect(await slow).toBe("slept");
});

test("A disabled function returns 404, and the home page can be disabled", async () => {
  const environment = { "AzureWebJobs.ping.Disabled": "true", AzureWebJobsDisableHomepage: "true" };
  const { host: disabled } = await startTestHost("probe-app.ts", { environment });
  onTestFinished(disabled.stop);
  expect((await fetch(`${disabled.url}/ping`)).status).toBe(404);
  expect((await fetch(`${disabled.url}/p/x`)).status).toBe(200);
  expect((await fetch(disabled.url)).status).toBe(204);
});

describe("Unusual requests", () => {
  const lines = (...head: string[]) => `${[...head, "Connection: close"].join("\r\n")}\r\n\r\n`;
  const host11 = `Host: ${hostName}`;

  test.each([
    ["500 to HTTP/1.0 without Host", lines("GET /ping HTTP/1.0"), 500],
    ["200 to HTTP/1.0 with Host", lines("GET /ping HTTP/1.0", host11), 200],
    ["400 to HTTP/1.0 POST without a length", lines("POST /body HTTP/1.0", host11), 400],
    ["400 to HTTP/1.1 without Host", lines("GET /ping HTTP/1.1"), 400],
    ["400 to two Host headers", lines("GET /ping HTTP/1.1", host11, host11), 400],
    ["400 to a Host with a space", lines("GET /ping HTTP/1.1", "Host: a b"), 400],
    ["400 to a Host with a user name", lines("GET /ping HTTP/1.1", "Host: u@x"), 400],
    ["200 to an IPv6 Host", lines("GET /ping HTTP/1.1", "Host: [::1]:7071"), 200],
    ["200 to lines that end in LF alone", lines("GET /ping HTTP/1.1", host11).replaceAll("\r", ""), 200],
  ])("The host returns %s", async (_, request, status) => {
    const answer = await sendBytes(running.host.url, request);
    expect(answer.status).toBe(status);
    expect(answer.headers["Server"]).toBe("Kestrel");
    expect(answer.body.length > 0).toBe(status === 200);
  });

  test("A control character in a header value reaches the app", async () => {
    const answer = await sendBytes(
      running.host.url,
      lines("GET /user HTTP/1.1", host11, "Authorization: Bearer a\u0001b"),
    );
    expect(JSON.parse(answer.body.toString()).auth).toBe("Bearer a\u0001b");
  });

  test("A request with a length and chunks is read as chunked, so the app sees no body", async () => {
    const head = lines("POST /body HTTP/1.1", host11, "Content-Length: 5", "Transfer-Encoding: chunked");
    const answer = await sendBytes(running.host.url, `${head}5\r\nhello\r\n0\r\n\r\n`);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ len: 0 });
  });

  test("Expect: 100-continue is confirmed only to a client that waits", async () => {
    const head = lines("POST /body HTTP/1.1", host11, "Content-Length: 5", "Expect: 100-continue");
    expect((await sendBytes(running.host.url, `${head}hello`)).status).toBe(200);

    const { port } = new URL(running.host.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(head);
    const [first] = await once(socket, "data");
    expect(String(first)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write("hello");
    const [second] = await once(socket, "data");
    expect(String(second)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    socket.destroy();
  });
});
