/** Sends one request byte by byte over a socket of its own and takes the raw answer apart. */
import { once } from "node:events";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";

export interface RawRequest {
  /** Method and target. */
  request: string;
  /** Each with its name. */
  headers?: readonly string[];
  body?: string | Uint8Array;
}

export interface RawAnswer {
  status: number;
  /** By exact name; a repeated header's values are joined with a comma. */
  headers: Record<string, string>;
  /** Without the framing of chunks. */
  body: Buffer;
  /** As it came, framing included. */
  rawBody: Buffer;
}

const limitMilliseconds = 20_000;

/** Sends the request with `Connection: close` and resolves when the server has closed the connection. */
export async function sendRaw(baseUrl: string, host: string, raw: RawRequest): Promise<RawAnswer> {
  return sendBytes(baseUrl, encode(host, raw));
}

/** Sends the bytes as they are and resolves when the server has closed the connection. */
export async function sendBytes(baseUrl: string, request: string | Uint8Array): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  socket.setTimeout(limitMilliseconds, () => socket.destroy(new Error("The server did not answer in time.")));
  await once(socket, "connect");
  const answer = buffer(socket);
  socket.write(request);
  const bytes = await answer;
  const headEnd = bytes.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon);
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
  }
  const rawBody = bytes.subarray(headEnd + 4);
  const isChunked = headers["Transfer-Encoding"] === "chunked";
  return {
    status: Number(statusLine.split(" ")[1]),
    headers,
    rawBody,
    body: isChunked ? joinChunks(rawBody) : rawBody,
  };
}

function encode(host: string, { request, headers = [], body }: RawRequest): Buffer {
  const content = Buffer.from(body ?? "");
  const isChunked = headers.some((header) => /^transfer-encoding:/i.test(header));
  const lines = [
    `${request} HTTP/1.1`,
    `Host: ${host}`,
    "Connection: close",
    ...headers,
    ...(body === undefined || isChunked ? [] : [`Content-Length: ${content.length}`]),
  ];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`);
  const framed = [Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from("\r\n0\r\n\r\n")];
  return Buffer.concat([head, ...(isChunked ? framed : [content])]);
}

function joinChunks(framed: Buffer): Buffer {
  const chunks: Buffer[] = [];
  let rest = framed;
  for (;;) {
    const lineEnd = rest.indexOf("\r\n");
    const length = Number.parseInt(rest.subarray(0, lineEnd).toString("latin1"), 16);
    if (!(length > 0)) return Buffer.concat(chunks);
    chunks.push(rest.subarray(lineEnd + 2, lineEnd + 2 + length));
    rest = rest.subarray(lineEnd + 2 + length + 2);
  }
}
