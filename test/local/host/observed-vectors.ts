/** Requests and the answers that the real Functions host gave to them, with its host name and port replaced. */

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
  headers?: readonly (readonly [name: string, value: string])[];
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
const text = (
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
  text(status, JSON.stringify(value), "application/json");

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
  { request: "POST /nosuch", headers: [["Content-Type", "application/json"]], answer: empty(404) },
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
  { request: "GET /keyed", headers: [["x-functions-key", "bad"]], answer: empty(401) },
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
export const queryVectors: readonly (readonly [query: string, readonly (readonly [string, string])[]])[] = [
  ["?a=1&a=2", [["a", "1,2"]]],
  ["?a=1&A=2", [["A", "1,2"]]],
  ["?a", [["a", ""]]],
  ["?a=", [["a", ""]]],
  ["?a=%2B+%20b", [["a", "+  b"]]],
  ["?a=b%26c", [["a", "b&c"]]],
  ["?=v", [["", "v"]]],
  ["?a=1,2", [["a", "1,2"]]],
  ["?a=%", [["a", "%"]]],
  [
    "?a=1&b=2&a=3",
    [
      ["a", "1,3"],
      ["b", "2"],
    ],
  ],
  ["?a=x%25y", [["a", "x%y"]]],
  ["?a=%C3%A9", [["a", "é"]]],
];

const contentType = (value: string) => ["Content-Type", value] as const;
const applicationJson = contentType("application/json");
const chunkedBody = ["Transfer-Encoding", "chunked"] as const;
const noBody = ["Content-Length", "0"] as const;
const twoMebibytes = 2 * 1024 * 1024;
const longJson = JSON.stringify("x".repeat(twoMebibytes));
const fourBytes = Uint8Array.of(0xff, 0xfe, 0x00, 0x01);

/** What the probe's `body` function answers about a request, whose headers arrive in alphabetical order. */
const bodySeen = (body: string, headers: Record<string, string>, hasBody = true) =>
  json(200, {
    len: body.length,
    head: body.slice(0, 80),
    err: null,
    headers: { connection: "close", ...headers },
    hasBody,
  });
const jsonSeen = (body: string, lengthBytes = body.length) =>
  bodySeen(body, {
    "content-length": String(lengthBytes),
    "content-type": "application/json",
    host: hostName,
  });
const chunkedSeen = bodySeen(
  "",
  { "content-type": "application/json", host: hostName, "transfer-encoding": "chunked" },
  false,
);
const fourBytesSeen = json(200, {
  len: 4,
  sha: "d2ad9277baaee14856d20ec2b21f87a0cb8a7f86c6ef090fd5a082b1e85135ac",
});
const unexpectedEnd = json(400, { name: "SyntaxError", msg: "Unexpected end of JSON input" });

export const bodyVectors: readonly Vector[] = [
  { request: "POST /body", headers: [chunkedBody, applicationJson], body: '{"a":1}', answer: chunkedSeen },
  { request: "POST /body", headers: [applicationJson], body: '{"a":1}', answer: jsonSeen('{"a":1}') },
  { request: "POST /body", headers: [applicationJson], body: '{"a":', answer: jsonSeen('{"a":') },
  {
    request: "POST /body",
    headers: [contentType("text/plain")],
    body: "é✓",
    answer: bodySeen("é✓", { "content-length": "5", "content-type": "text/plain", host: hostName }),
  },
  {
    request: "POST /body",
    body: '{"nocontenttype":1}',
    answer: bodySeen('{"nocontenttype":1}', { "content-length": "19", host: hostName }),
  },
  {
    request: "POST /body",
    headers: [noBody],
    answer: bodySeen("", { "content-length": "0", host: hostName }, false),
  },
  { request: "POST /body", answer: bodySeen("", { host: hostName }, false) },
  {
    request: "POST /body",
    headers: [applicationJson, noBody],
    answer: bodySeen(
      "",
      { "content-length": "0", "content-type": "application/json", host: hostName },
      false,
    ),
  },
  { request: "DELETE /body", headers: [applicationJson], body: '{"d":1}', answer: jsonSeen('{"d":1}') },
  {
    request: "POST /body",
    headers: [contentType("application/x-www-form-urlencoded")],
    body: "a=1&b=2",
    answer: bodySeen("a=1&b=2", {
      "content-length": "7",
      "content-type": "application/x-www-form-urlencoded",
      host: hostName,
    }),
  },
  {
    request: "POST /body",
    headers: [applicationJson],
    body: '\ufeff{"bom":1}',
    answer: jsonSeen('{"bom":1}', 12),
  },
  {
    request: "POST /bodyjson",
    headers: [applicationJson, chunkedBody],
    body: '{"a":1}',
    answer: unexpectedEnd,
  },
  { request: "POST /bodyjson", headers: [applicationJson], body: '{"a":', answer: unexpectedEnd },
  { request: "POST /bodyjson", headers: [applicationJson], answer: unexpectedEnd },
  {
    request: "POST /bodyjson",
    headers: [contentType("text/plain")],
    body: '{"a":2}',
    answer: json(200, { a: 2 }),
  },
  { request: "POST /bodyjson_throw", headers: [applicationJson], body: '{"a":', answer: empty(500) },
  {
    request: "POST /bytes",
    headers: [applicationJson],
    body: longJson,
    answer: json(200, {
      len: longJson.length,
      sha: "0314a9c40507c565fa85c44fb6bce895e00955318a66c97e5abc155cc2b89dcd",
    }),
  },
  { request: "POST /body", headers: [applicationJson], body: longJson, answer: jsonSeen(longJson) },
  { request: "POST /body", headers: [chunkedBody, applicationJson], body: longJson, answer: chunkedSeen },
  {
    request: "POST /bytes",
    headers: [contentType("application/octet-stream")],
    body: fourBytes,
    answer: fourBytesSeen,
  },
  { request: "POST /bytes", headers: [applicationJson], body: fourBytes, answer: fourBytesSeen },
  { request: "POST /bytes", headers: [contentType("text/plain")], body: fourBytes, answer: fourBytesSeen },
  { request: "POST /bytes", body: fourBytes, answer: fourBytesSeen },
  { request: "POST /body", headers: [["Content-Length", "110100480"], applicationJson], answer: empty(500) },
];

const manyHeaders = text(503, '{"e":1}', "application/json", {
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
  "x-multi": "a, b",
  "x-request-id": "abc",
});

export const resultVectors: readonly Vector[] = [
  { request: "GET /r/undef", answer: bare(204) },
  { request: "GET /r/null", answer: bare(204) },
  { request: "GET /r/empty", answer: empty(200) },
  { request: "GET /r/204", answer: bare(204) },
  { request: "GET /r/202", answer: empty(202) },
  { request: "GET /r/404", answer: empty(404) },
  { request: "GET /r/401", answer: empty(401, { "WWW-Authenticate": 'Basic realm="x"' }) },
  { request: "GET /r/throw", answer: empty(500) },
  { request: "GET /r/throwsync", answer: empty(500) },
  { request: "GET /r/string", answer: empty(500) },
  { request: "GET /r/body", answer: text(200, "text body") },
  { request: "GET /r/bodyct", answer: text(200, "text body", "text/plain") },
  { request: "GET /r/bodyempty", answer: empty(200, { "Content-Type": plainText }) },
  { request: "GET /r/json", answer: json(200, { a: "é✓" }) },
  { request: "GET /r/jsonnull", answer: empty(200) },
  { request: "GET /r/jsonct", answer: text(201, '{"a":1}', "application/json; charset=utf-8") },
  { request: "GET /r/prob", answer: text(400, '{"t":1}', "application/problem+json") },
  { request: "GET /r/headers", answer: manyHeaders },
  {
    request: "GET /r/headers2",
    answer: text(200, "ok", plainText, { "Set-Cookie": "b=2", "x-multi": "a, b" }),
  },
  {
    request: "GET /r/cl",
    answer: {
      status: 200,
      headers: { ...server, "Content-Length": "5", "Content-Type": plainText },
      body: "hello",
    },
  },
  {
    request: "GET /r/metrics",
    answer: text(200, "# HELP x\nx 1\n", "text/plain; version=0.0.4; charset=utf-8"),
  },
];

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
  { request: "GET /r/head", answer: text(200, "hello", plainText, { "x-method": "GET" }) },
  { request: "OPTIONS /r/opts", answer: text(200, "m:OPTIONS") },
  {
    request: "OPTIONS /r/body",
    headers: [
      ["Origin", "http://x"],
      ["Access-Control-Request-Method", "GET"],
    ],
    answer: empty(404),
  },
  {
    request: "GET /p/x",
    headers: [
      ["X-Dup", "1"],
      ["X-Dup", "2"],
    ],
    answer: echo("param", "GET", "/p/x", { x: "x" }, "1,2"),
  },
  {
    request: "GET /user",
    headers: [
      ["Authorization", "Bearer abc.def.ghi"],
      ["Accept", "*/*"],
      ["X-Forwarded-For", "192.0.2.4"],
      ["Cookie", "a=1"],
      ["Cookie", "b=2"],
    ],
    answer: json(200, {
      user: null,
      auth: "Bearer abc.def.ghi",
      names: ["accept", "authorization", "connection", "cookie", "host", "x-forwarded-for"],
    }),
  },
  {
    request: "GET /user",
    headers: [["Authorization", "Basic dTpw"]],
    answer: json(200, { user: null, auth: "Basic dTpw", names: ["authorization", "connection", "host"] }),
  },
  {
    request: "GET /user",
    headers: [
      ["Authorization", "Basic dTpw"],
      ["Authorization", "Basic eHg="],
    ],
    answer: json(200, {
      user: null,
      auth: "Basic dTpw,Basic eHg=",
      names: ["authorization", "connection", "host"],
    }),
  },
  { request: "GET /h/conn", answer: text(200, "hello") },
  { request: "GET /h/clbad", answer: empty(500) },
  { request: "GET /h/server", answer: text(200, "hello", plainText, { Server: "mine" }) },
  { request: "GET /h/badname", answer: empty(500) },
  { request: "GET /h/nl", answer: empty(500, { "Content-Type": plainText }) },
];
