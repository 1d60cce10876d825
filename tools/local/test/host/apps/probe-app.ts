/** The app behind the observed vectors: functions whose answers show what the host does with a request. */
import { createHash } from "node:crypto";
import { app, type HttpHandler, type HttpMethod, type HttpResponseInit } from "@azure/functions";
import { returned } from "../observed-vectors.ts";

function register(name: string, route: string, methods: HttpMethod[] | undefined, handler: HttpHandler) {
  app.http(name, { route, handler, authLevel: "anonymous", ...(methods ? { methods } : {}) });
}

function registerEcho(name: string, route: string, ...methods: HttpMethod[]) {
  register(name, route, methods.length > 0 ? methods : undefined, echo(name));
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

// Some of the results are none that the library's types allow: that is what they are here for.
for (const [path, [result]] of Object.entries(returned))
  register(path.slice(1).replace("/", "_"), path.slice(1), ["GET"], () => result as HttpResponseInit);
register("r_throw", "r/throw", ["GET"], () => Promise.reject(new Error("thrown on purpose")));
register("r_throw_sync", "r/throwsync", ["GET"], () => {
  throw new Error("thrown at once on purpose");
});
register("r_buf", "r/buf", ["GET"], () => ({
  body: Uint8Array.of(1, 2, 3, 255),
  headers: { "content-type": "application/octet-stream" },
}));
register("r_head", "r/head", ["GET", "HEAD"], (request) => ({
  body: "hello",
  headers: { "x-method": request.method },
}));
register("r_opts", "r/opts", ["GET", "OPTIONS"], (request) => ({ body: `m:${request.method}` }));
register("h_date", "h/date", ["GET"], () => ({
  body: "hello",
  headers: { Date: "Thu, 01 Jan 1970 00:00:00 GMT" },
}));
register("h_te", "h/te", ["GET"], () => ({ body: "hello", headers: { "Transfer-Encoding": "chunked" } }));

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
