/** The HTTP client of the load driver: plain node:http over warm connections. */
import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 512, scheduling: "lifo" });

interface Content {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request and returns status and body of the response. Throws if the connection is lost. */
async function send(
  method: string,
  url: string,
  { headers, body }: Content = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, agent, headers: { ...headers, ...length } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
      response.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Sends a request and returns the body of the response. Throws if the status is another one. */
export async function sendExpecting(
  expected: number,
  method: string,
  url: string,
  content: Content = {},
): Promise<string> {
  const { status, text } = await send(method, url, content);
  if (status === expected) return text;
  throw new Error(`${method} ${new URL(url).pathname}: ${status} ${text.slice(0, 200)}`.trim());
}

/** Returns how many milliseconds a task takes. */
export async function timed(task: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await task();
  return performance.now() - startedAt;
}
