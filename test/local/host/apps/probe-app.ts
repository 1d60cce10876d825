/** The app behind the observed vectors: functions whose answers show what the host does with a request. */
import { createHash } from "node:crypto";
import { app, type HttpHandler, type HttpMethod, type HttpResponseInit } from "@azure/functions";

function register(name: string, route: string, methods: HttpMethod[] | undefined, handler: HttpHandler) {
  app.http(name, { route, handler, authLevel: "anonymous", ...(methods ? { methods } : {}) });
}

function registerEcho(name: string, route: string, ...methods: HttpMethod[]) {
  register(name, route, methods.length > 0 ? methods : undefined, echo(name));
}

// Some of the answers are none that the library's types allow: that is what they are here for.
function registerAnswer(name: string, route: string, answer: HttpResponseInit | string | null | undefined) {
  register(name, route, ["GET"], () => answer as HttpResponseInit);
}

function echo(name: string): HttpHandler {
  return (request) => ({
    jsonBody: {
      fn: name,
      params: request.params,
      url: request.url,
      method: request.method,
      query: [...request.query],
      xdup: request.headers.get("x-dup"),
      host: request.headers.get("host"),
      qobj: Object.fromEntries(request.query),
    },
  });
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

registerEcho("ping", "ping", "GET");
registerEcho("bulk_slash", "room/bulk/", "POST", "GET");
registerEcho("noslash", "room/plain", "GET");
registerEcho("param", "p/{x}", "GET");
registerEcho("param_slash", "ps/{x}/", "GET");
registerEcho("m_get", "multi/{id}", "GET");
registerEcho("m_patch", "multi/{id}", "PATCH");
registerEcho("m_delete", "multi/{id}", "DELETE");
registerEcho("a_postonly", "mix/{id}", "POST");
registerEcho("b_getlit", "mix/list", "GET");
registerEcho("nomethods", "nm");
registerEcho("adminr", "admin/x", "GET");
app.http("keyed", { route: "keyed", methods: ["GET"], authLevel: "function", handler: echo("keyed") });

register("body", "body", ["POST", "PUT", "PATCH", "DELETE"], async (request) => {
  const received = await request.text();
  return {
    jsonBody: {
      len: received.length,
      head: received.slice(0, 80),
      err: null,
      headers: Object.fromEntries(request.headers),
      hasBody: request.body !== null,
    },
  };
});
register("bodyjson", "bodyjson", ["POST"], async (request) => {
  try {
    return { jsonBody: await request.json() };
  } catch (error) {
    const { name, message } = error as Error;
    return { status: 400, jsonBody: { name, msg: message } };
  }
});
register("bodyjson_throw", "bodyjson_throw", ["POST"], async (request) => ({
  jsonBody: await request.json(),
}));
register("bytes", "bytes", ["POST"], async (request) => {
  const received = Buffer.from(await request.arrayBuffer());
  return {
    jsonBody: { len: received.length, sha: createHash("sha256").update(received).digest("hex") },
  };
});
register("user", "user", ["GET"], (request) => ({
  jsonBody: {
    user: request.user,
    auth: request.headers.get("authorization"),
    names: [...request.headers.keys()],
  },
}));

registerAnswer("r_undef", "r/undef", undefined);
registerAnswer("r_null", "r/null", null);
registerAnswer("r_empty", "r/empty", {});
registerAnswer("r_204", "r/204", { status: 204 });
registerAnswer("r_202", "r/202", { status: 202 });
registerAnswer("r_404", "r/404", { status: 404 });
registerAnswer("r_401", "r/401", { status: 401, headers: { "WWW-Authenticate": 'Basic realm="x"' } });
register("r_throw", "r/throw", ["GET"], () => Promise.reject(new Error("thrown on purpose")));
register("r_throw_sync", "r/throwsync", ["GET"], () => {
  throw new Error("thrown at once on purpose");
});
registerAnswer("r_string", "r/string", "plain");
registerAnswer("r_body", "r/body", { body: "text body" });
registerAnswer("r_bodyct", "r/bodyct", { body: "text body", headers: { "content-type": "text/plain" } });
registerAnswer("r_bodyempty", "r/bodyempty", { body: "" });
registerAnswer("r_json", "r/json", { jsonBody: { a: "é✓" } });
registerAnswer("r_jsonnull", "r/jsonnull", { jsonBody: null });
registerAnswer("r_jsonct", "r/jsonct", {
  status: 201,
  jsonBody: { a: 1 },
  headers: { "Content-Type": "application/json; charset=utf-8" },
});
registerAnswer("r_buf", "r/buf", {
  body: Uint8Array.of(1, 2, 3, 255),
  headers: { "content-type": "application/octet-stream" },
});
registerAnswer("r_prob", "r/prob", {
  status: 400,
  body: '{"t":1}',
  headers: { "content-type": "application/problem+json" },
});
registerAnswer("r_headers", "r/headers", {
  status: 503,
  jsonBody: { e: 1 },
  headers: {
    "WWW-Authenticate": 'Bearer realm="r", error="invalid_token"',
    "Retry-After": "7",
    Server: "mine",
    "Cache-Control": "no-store",
    "X-Request-Id": "abc",
    Location: "/x/y",
    "X-Multi": "a, b",
    ETag: '"q"',
    "Content-Language": "en",
    "Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT",
    Allow: "GET",
    Vary: "Accept",
    "Content-Disposition": "inline",
    Expires: "0",
  },
});
register("r_headers2", "r/headers2", ["GET"], () => ({
  body: "ok",
  headers: new Headers([
    ["X-Multi", "a"],
    ["X-Multi", "b"],
    ["Set-Cookie", "a=1"],
    ["Set-Cookie", "b=2"],
  ]),
}));
registerAnswer("r_cl", "r/cl", { body: "hello", headers: { "Content-Length": "5" } });
registerAnswer("r_metrics", "r/metrics", {
  body: "# HELP x\nx 1\n",
  headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
});
register("r_head", "r/head", ["GET", "HEAD"], (request) => ({
  body: "hello",
  headers: { "x-method": request.method },
}));
register("r_opts", "r/opts", ["GET", "OPTIONS"], (request) => ({ body: `m:${request.method}` }));

registerAnswer("h_date", "h/date", { body: "hello", headers: { Date: "Thu, 01 Jan 1970 00:00:00 GMT" } });
registerAnswer("h_conn", "h/conn", { body: "hello", headers: { Connection: "close" } });
registerAnswer("h_clbad", "h/clbad", { body: "hello", headers: { "Content-Length": "3" } });
registerAnswer("h_te", "h/te", { body: "hello", headers: { "Transfer-Encoding": "chunked" } });
registerAnswer("h_server", "h/server", { body: "hello", headers: { Server: "mine" } });
registerAnswer("h_badname", "h/badname", { body: "hello", headers: { "X Y": "1" } });
registerAnswer("h_nl", "h/nl", { body: "hello", headers: { "X-Val": "é" } });

register("unhandled", "u/unhandled", ["GET"], async () => {
  void Promise.reject(new Error("rejected and never handled"));
  await pause(300);
  return { body: "after" };
});
register("uncaught", "u/uncaught", ["GET"], async () => {
  setTimeout(() => {
    throw new Error("thrown outside every call");
  }, 50);
  await pause(1500);
  return { body: "after" };
});
register("exit", "u/exit", ["GET"], () => process.exit(3));
register("pid", "u/pid", ["GET"], (_request, context) => {
  context.warn("in the call");
  return { jsonBody: { pid: process.pid, traceParent: context.traceContext?.traceParent } };
});
register("sleep", "sleep", ["GET"], async (request) => {
  await pause(Number(request.query.get("ms") ?? 1000));
  return { body: "slept" };
});
