/** Requests and the answers that the real Functions host gave to them, with its host name and port replaced. */
import type { HttpResponseInit } from "@azure/functions";

export const hostName = "gateway.example.com";

interface ObservedAnswer {
  status: number;
  /** Every header except Date and Connection, by its exact name. */
  headers: Record<string, string>;
  body: string;
}

export interface Vector {
  /** Method and target of the request line. */
  request: string;
  headers?: readonly string[];
  /** Sent with its Content-Length, unless the headers say that it is chunked. */
  body?: string | Uint8Array;
  answer: ObservedAnswer;
}

const server = { Server: "Kestrel" };
const chunked = { ...server, "Transfer-Encoding": "chunked" };
const plainText = "text/plain;charset=UTF-8";

const bare = (status: number): ObservedAnswer => ({ status, headers: server, body: "" });
const empty = (status: number, headers: Record<string, string> = {}): ObservedAnswer => ({
  status,
  headers: { ...server, "Content-Length": "0", ...headers },
  body: "",
});
const textAnswer = (
  status: number,
  body: string,
  contentType = plainText,
  headers: Record<string, string> = {},
) => ({
  status,
  headers: { ...chunked, "Content-Type": contentType, ...headers },
  body,
});
const json = (status: number, value: unknown): ObservedAnswer =>
  textAnswer(status, JSON.stringify(value), "application/json");

/** What the probe's echo function answers. */
const echo = (fn: string, method: string, path: string, params = {}, xdup: string | null = null) =>
  json(200, {
    fn,
    params,
    url: `http://${hostName}${path}`,
    method,
    query: [],
    xdup,
    host: hostName,
    qobj: {},
  });

export const routeVectors: readonly Vector[] = [
  { request: "GET /room/bulk", answer: echo("bulk_slash", "GET", "/room/bulk") },
  { request: "GET /room/bulk/", answer: echo("bulk_slash", "GET", "/room/bulk/") },
  { request: "GET /room/bulk//", answer: empty(404) },
  { request: "GET /room//bulk", answer: empty(404) },
  { request: "GET /room/plain", answer: echo("noslash", "GET", "/room/plain") },
  { request: "GET /room/plain/", answer: echo("noslash", "GET", "/room/plain/") },
  { request: "GET /ps/a", answer: echo("param_slash", "GET", "/ps/a", { x: "a" }) },
  { request: "GET /ps/a/", answer: echo("param_slash", "GET", "/ps/a/", { x: "a" }) },
  { request: "GET /p/a/", answer: echo("param", "GET", "/p/a/", { x: "a" }) },
  { request: "POST /r/204", answer: empty(404) },
  { request: "DELETE /p/x", answer: empty(404) },
  { request: "GET /nosuch", answer: empty(404) },
  { request: "POST /nosuch", headers: ["Content-Type: application/json"], answer: empty(404) },
  { request: "GET /multi/7", answer: echo("m_get", "GET", "/multi/7", { id: "7" }) },
  { request: "PATCH /multi/7", answer: echo("m_patch", "PATCH", "/multi/7", { id: "7" }) },
  { request: "DELETE /multi/7", answer: echo("m_delete", "DELETE", "/multi/7", { id: "7" }) },
  { request: "POST /multi/7", answer: empty(404) },
  { request: "PUT /multi/7", answer: empty(404) },
  { request: "HEAD /multi/7", answer: bare(404) },
  { request: "OPTIONS /multi/7", answer: empty(404) },
  { request: "TRACE /multi/7", answer: empty(404) },
  { request: "FOO /multi/7", answer: empty(404) },
  { request: "GET /mix/list", answer: echo("b_getlit", "GET", "/mix/list") },
  { request: "POST /mix/list", answer: echo("a_postonly", "POST", "/mix/list", { id: "list" }) },
  { request: "GET /mix/other", answer: empty(404) },
  { request: "GET /nm", answer: echo("nomethods", "GET", "/nm") },
  { request: "POST /nm", answer: echo("nomethods", "POST", "/nm") },
  { request: "PUT /nm", answer: empty(404) },
  { request: "DELETE /nm", answer: empty(404) },
  { request: "HEAD /nm", answer: bare(404) },
  { request: "GET /keyed", answer: empty(401) },
  { request: "GET /keyed", headers: ["x-functions-key: bad"], answer: empty(401) },
  { request: "GET /admin/x", answer: empty(404) },
  { request: "GET /admin/host/status", answer: empty(401) },
  { request: "GET /api/ping", answer: empty(404) },
  { request: "GET /favicon.ico", answer: empty(404) },
];

/** Target, and what `params` and the path of `url` are in the app. */
export const pathVectors: readonly (readonly [target: string, Record<string, string>, path: string])[] = [
  ["/p/a%2Fb", { x: "a%2Fb" }, "/p/a%2Fb"],
  ["/p/a%2fb", { x: "a%2fb" }, "/p/a%2fb"],
  ["/p/a%2Bb", { x: "a+b" }, "/p/a+b"],
  ["/p/a+b", { x: "a+b" }, "/p/a+b"],
  ["/p/a=b", { x: "a=b" }, "/p/a=b"],
  ["/p/a%3Db", { x: "a=b" }, "/p/a=b"],
  ["/p/a%25b", { x: "a%b" }, "/p/a%25b"],
  ["/p/a%252Fb", { x: "a%2Fb" }, "/p/a%2Fb"],
  ["/p/a%20b", { x: "a b" }, "/p/a%20b"],
  ["/p/%C3%A9", { x: "é" }, "/p/%C3%A9"],
  ["/p/%E2%9C%93", { x: "✓" }, "/p/%E2%9C%93"],
  ["/p/a%22b", { x: 'a"b' }, "/p/a%22b"],
  ["/p/a%5Cb", { x: "a\\b" }, "/p/a%5Cb"],
  ["/p/a%3Fb", { x: "a?b" }, "/p/a%3Fb"],
  ["/p/a%23b", { x: "a#b" }, "/p/a%23b"],
  ["/p/a;b", { x: "a;b" }, "/p/a;b"],
  ["/p/a%3Bb", { x: "a;b" }, "/p/a;b"],
  ["/p/a:b", { x: "a:b" }, "/p/a:b"],
  ["/p/a@b", { x: "a@b" }, "/p/a@b"],
  ["/p/%7Ex", { x: "~x" }, "/p/~x"],
  ["/p/a&b", { x: "a&b" }, "/p/a&b"],
  ["/p/a%26b", { x: "a&b" }, "/p/a&b"],
  ["/p/..%2Fx", { x: "..%2Fx" }, "/p/..%2Fx"],
  ["/p/a,b", { x: "a,b" }, "/p/a,b"],
  ["/p/a%ZZ", { x: "a%ZZ" }, "/p/a%25ZZ"],
  ["/p/%FF", { x: "%FF" }, "/p/%FF"],
  ["/P/AbC", { x: "AbC" }, "/P/AbC"],
  ["/p/a%7Bb%7D", { x: "a{b}" }, "/p/a%7Bb%7D"],
  ["/p/a%0Ab", { x: "a\nb" }, "/p/a%0Ab"],
];

/** Targets that the host answers with 400. */
export const refusedTargets: readonly string[] = ["/p/a%00b", "/p/é", "/p/x?a[]=1&b=é"];

/** Query, and the entries of `query` in the app. */
export const queryVectors: readonly (readonly [query: string, Readonly<Record<string, string>>])[] = [
  ["?a=1&a=2", { a: "1,2" }],
  ["?a=1&A=2", { A: "1,2" }],
  ["?a", { a: "" }],
  ["?a=", { a: "" }],
  ["?a=%2B+%20b", { a: "+  b" }],
  ["?a=b%26c", { a: "b&c" }],
  ["?=v", { "": "v" }],
  ["?a=1,2", { a: "1,2" }],
  ["?a=%", { a: "%" }],
  ["?a=1&b=2&a=3", { a: "1,3", b: "2" }],
  ["?a=x%25y", { a: "x%y" }],
  ["?a=%C3%A9", { a: "é" }],
];

const contentType = (value: string) => `Content-Type: ${value}`;
const applicationJson = contentType("application/json");
const text = contentType("text/plain");
const chunkedBody = "Transfer-Encoding: chunked";
const noBody = "Content-Length: 0";
const twoMebibytes = 2 * 1024 * 1024;
const longJson = JSON.stringify("x".repeat(twoMebibytes));
const fourBytes = Uint8Array.of(0xff, 0xfe, 0x00, 0x01);

/** What the probe's `body` function answers about a request, whose headers arrive in alphabetical order. */
const bodySeen = (body: string, headers: Record<string, string>, hasBody = true) =>
  json(200, {
    len: body.length,
    head: body.slice(0, 80),
    err: null,
    headers: Object.fromEntries(
      Object.entries({ connection: "close", host: hostName, ...headers }).toSorted(([one], [other]) =>
        one < other ? -1 : 1,
      ),
    ),
    hasBody,
  });
const jsonSeen = (body: string, lengthBytes = body.length) =>
  bodySeen(body, { "content-length": String(lengthBytes), "content-type": "application/json" });
const chunkedSeen = bodySeen(
  "",
  { "content-type": "application/json", "transfer-encoding": "chunked" },
  false,
);
const bytesSeen = (len: number, sha: string) => json(200, { len, sha });
const fourBytesSeen = bytesSeen(4, "d2ad9277baaee14856d20ec2b21f87a0cb8a7f86c6ef090fd5a082b1e85135ac");
const longJsonSeen = bytesSeen(
  longJson.length,
  "0314a9c40507c565fa85c44fb6bce895e00955318a66c97e5abc155cc2b89dcd",
);
const unexpectedEnd = json(400, { name: "SyntaxError", msg: "Unexpected end of JSON input" });

type Headers = NonNullable<Vector["headers"]>;
const post = (path: string, headers: Headers, body: Vector["body"], answer: ObservedAnswer): Vector => ({
  request: `POST ${path}`,
  headers,
  ...(body !== undefined && { body }),
  answer,
});

export const bodyVectors: readonly Vector[] = [
  post("/body", [chunkedBody, applicationJson], '{"a":1}', chunkedSeen),
  post("/body", [applicationJson], '{"a":1}', jsonSeen('{"a":1}')),
  post("/body", [applicationJson], '{"a":', jsonSeen('{"a":')),
  post("/body", [text], "é✓", bodySeen("é✓", { "content-length": "5", "content-type": "text/plain" })),
  post("/body", [], '{"nocontenttype":1}', bodySeen('{"nocontenttype":1}', { "content-length": "19" })),
  post("/body", [noBody], undefined, bodySeen("", { "content-length": "0" }, false)),
  post("/body", [], undefined, bodySeen("", {}, false)),
  post(
    "/body",
    [applicationJson, noBody],
    undefined,
    bodySeen("", { "content-length": "0", "content-type": "application/json" }, false),
  ),
  { request: "DELETE /body", headers: [applicationJson], body: '{"d":1}', answer: jsonSeen('{"d":1}') },
  post(
    "/body",
    [contentType("application/x-www-form-urlencoded")],
    "a=1&b=2",
    bodySeen("a=1&b=2", { "content-length": "7", "content-type": "application/x-www-form-urlencoded" }),
  ),
  post("/body", [applicationJson], '\ufeff{"bom":1}', jsonSeen('{"bom":1}', 12)),
  post("/bodyjson", [applicationJson, chunkedBody], '{"a":1}', unexpectedEnd),
  post("/bodyjson", [applicationJson], '{"a":', unexpectedEnd),
  post("/bodyjson", [applicationJson], undefined, unexpectedEnd),
  post("/bodyjson", [text], '{"a":2}', json(200, { a: 2 })),
  post("/bodyjson_throw", [applicationJson], '{"a":', empty(500)),
  post("/bytes", [applicationJson], longJson, longJsonSeen),
  post("/body", [applicationJson], longJson, jsonSeen(longJson)),
  post("/body", [chunkedBody, applicationJson], longJson, chunkedSeen),
  post("/bytes", [contentType("application/octet-stream")], fourBytes, fourBytesSeen),
  post("/bytes", [applicationJson], fourBytes, fourBytesSeen),
  post("/bytes", [text], fourBytes, fourBytesSeen),
  post("/bytes", [], fourBytes, fourBytesSeen),
  post("/body", ["Content-Length: 110100480", applicationJson], undefined, empty(500)),
];

const knownHeaders = {
  Server: "mine",
  Allow: "GET",
  "Cache-Control": "no-store",
  "Content-Language": "en",
  ETag: '"q"',
  Expires: "0",
  "Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT",
  Location: "/x/y",
  "Retry-After": "7",
  Vary: "Accept",
  "WWW-Authenticate": 'Bearer realm="r", error="invalid_token"',
  "Content-Disposition": "inline",
};
const hello = { body: "hello" };
const metricsType = "text/plain; version=0.0.4; charset=utf-8";
const basicChallenge = { "WWW-Authenticate": 'Basic realm="x"' };

/** By the path of a GET: what the app's function returns, and what the host answers. */
export const returned: Readonly<
  Record<string, readonly [result: HttpResponseInit | string | null | undefined, answer: ObservedAnswer]>
> = {
  "/r/undef": [undefined, bare(204)],
  "/r/null": [null, bare(204)],
  "/r/empty": [{}, empty(200)],
  "/r/204": [{ status: 204 }, bare(204)],
  "/r/202": [{ status: 202 }, empty(202)],
  "/r/404": [{ status: 404 }, empty(404)],
  "/r/401": [{ status: 401, headers: basicChallenge }, empty(401, basicChallenge)],
  "/r/string": ["plain", empty(500)],
  "/r/body": [{ body: "text body" }, textAnswer(200, "text body")],
  "/r/bodyct": [
    { body: "text body", headers: { "content-type": "text/plain" } },
    textAnswer(200, "text body", "text/plain"),
  ],
  "/r/bodyempty": [{ body: "" }, empty(200, { "Content-Type": plainText })],
  "/r/json": [{ jsonBody: { a: "é✓" } }, json(200, { a: "é✓" })],
  "/r/jsonnull": [{ jsonBody: null }, empty(200)],
  "/r/jsonct": [
    { status: 201, jsonBody: { a: 1 }, headers: { "Content-Type": "application/json; charset=utf-8" } },
    textAnswer(201, '{"a":1}', "application/json; charset=utf-8"),
  ],
  "/r/prob": [
    { status: 400, body: '{"t":1}', headers: { "content-type": "application/problem+json" } },
    textAnswer(400, '{"t":1}', "application/problem+json"),
  ],
  "/r/headers": [
    {
      status: 503,
      jsonBody: { e: 1 },
      headers: { ...knownHeaders, "X-Request-Id": "abc", "X-Multi": "a, b" },
    },
    textAnswer(503, '{"e":1}', "application/json", {
      ...knownHeaders,
      "x-multi": "a, b",
      "x-request-id": "abc",
    }),
  ],
  "/r/headers2": [
    {
      body: "ok",
      headers: new Headers([
        ["X-Multi", "a"],
        ["X-Multi", "b"],
        ["Set-Cookie", "a=1"],
        ["Set-Cookie", "b=2"],
      ]),
    },
    textAnswer(200, "ok", plainText, { "Set-Cookie": "b=2", "x-multi": "a, b" }),
  ],
  "/r/cl": [
    { ...hello, headers: { "Content-Length": "5" } },
    { status: 200, headers: { ...server, "Content-Length": "5", "Content-Type": plainText }, body: "hello" },
  ],
  "/r/metrics": [
    { body: "# HELP x\nx 1\n", headers: { "content-type": metricsType } },
    textAnswer(200, "# HELP x\nx 1\n", metricsType),
  ],
  "/h/conn": [{ ...hello, headers: { Connection: "close" } }, textAnswer(200, "hello")],
  "/h/clbad": [{ ...hello, headers: { "Content-Length": "3" } }, empty(500)],
  "/h/server": [
    { ...hello, headers: { Server: "mine" } },
    textAnswer(200, "hello", plainText, { Server: "mine" }),
  ],
  "/h/badname": [{ ...hello, headers: { "X Y": "1" } }, empty(500)],
  "/h/nl": [{ ...hello, headers: { "X-Val": "é" } }, empty(500, { "Content-Type": plainText })],
};

export const resultVectors: readonly Vector[] = [
  ...Object.entries(returned).map(([path, [, answer]]) => ({ request: `GET ${path}`, answer })),
  { request: "GET /r/throw", answer: empty(500) },
  { request: "GET /r/throwsync", answer: empty(500) },
];

const basicHeader = (credentials: string) => `Authorization: Basic ${credentials}`;
const userSeen = (auth: string, ...more: string[]) =>
  json(200, { user: null, auth, names: ["authorization", "connection", "host", ...more].toSorted() });

const token = "Bearer abc.def.ghi";

export const headerVectors: readonly Vector[] = [
  { request: "HEAD /r/body", answer: bare(404) },
  { request: "OPTIONS /r/body", answer: empty(404) },
  {
    request: "HEAD /r/head",
    answer: {
      status: 200,
      headers: { ...server, "Content-Type": plainText, "x-method": "HEAD" },
      body: "",
    },
  },
  { request: "GET /r/head", answer: textAnswer(200, "hello", plainText, { "x-method": "GET" }) },
  { request: "OPTIONS /r/opts", answer: textAnswer(200, "m:OPTIONS") },
  {
    request: "OPTIONS /r/body",
    headers: ["Origin: http://x", "Access-Control-Request-Method: GET"],
    answer: empty(404),
  },
  {
    request: "GET /p/x",
    headers: ["X-Dup: 1", "X-Dup: 2"],
    answer: echo("param", "GET", "/p/x", { x: "x" }, "1,2"),
  },
  {
    request: "GET /user",
    headers: [
      `Authorization: ${token}`,
      "Accept: */*",
      "X-Forwarded-For: 192.0.2.4",
      "Cookie: a=1",
      "Cookie: b=2",
    ],
    answer: userSeen(token, "accept", "cookie", "x-forwarded-for"),
  },
  { request: "GET /user", headers: [basicHeader("dTpw")], answer: userSeen("Basic dTpw") },
  {
    request: "GET /user",
    headers: [basicHeader("dTpw"), basicHeader("eHg=")],
    answer: userSeen("Basic dTpw,Basic eHg="),
  },
];
