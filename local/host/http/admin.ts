/** The admin routes: firing a function by hand, and the status that is not given away without a key. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import * as z from "zod";
import { writeEmpty } from "./http-response.ts";

/** Starts a timer or queue function with this input; false when there is none of that name. */
export type FireFunction = (functionName: string, input: string) => boolean;

const firingBody = z.object({ input: z.string().default("") });

/**
 * Answers a path below /admin. Firing a function needs the master key on the real host; this one listens on
 * loopback only and asks for none. HTTP functions are called by their routes, so they are not found here.
 */
export async function answerAdminRequest(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  fireFunction: FireFunction,
): Promise<void> {
  if (/^\/admin\/host\/status\/?$/i.test(path)) return writeEmpty(response, 401);
  const [, functionName] = /^\/admin\/functions\/([^/]+)\/?$/i.exec(path) ?? [];
  if (functionName === undefined || request.method !== "POST") return writeEmpty(response, 404);
  const body = firingBody.safeParse(await json(request).catch(() => undefined));
  if (!body.success) return writeEmpty(response, 400);
  writeEmpty(response, fireFunction(functionName, body.data.input) ? 202 : 404);
}
