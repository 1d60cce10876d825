/** The load driver's own HTTP client: bare node:http over warm connections, as near to the floor as Node comes. */
import { Agent, request } from "node:http";

const agent = new Agent({ keepAlive: true, maxSockets: 512, scheduling: "lifo" });

export interface WarmAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request and reads its whole answer. Rejects on a lost connection. */
export async function send(
  method: string,
  url: string,
  options: { headers?: Record<string, string>; body?: string } = {},
): Promise<WarmAnswer> {
  const { body } = options;
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, agent, headers: { ...options.headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
        );
        response.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Milliseconds that a task took. */
export async function timed(task: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await task();
  return performance.now() - startedAt;
}
