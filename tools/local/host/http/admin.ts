/** The admin routes: firing a function by hand, and the host status, which needs a key. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import * as z from "zod";
import { writeEmpty } from "./http-response.ts";

/** Starts a function with this input; returns false if there is none of that name. */
export type FireFunction = (functionName: string, input: string) => boolean;

const firingBody = z.object({ input: z.string().nullish() });

/**
 * Handles a path below /admin. On Azure, firing a function needs the master key. Like the Core Tools, this host
 * asks for none: it listens on loopback only.
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
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) return writeEmpty(response, 415);
  const body = firingBody.safeParse(await json(request).catch(() => undefined));
  if (!body.success) return writeEmpty(response, 400);
  writeEmpty(response, fireFunction(functionName, body.data.input ?? "") ? 202 : 404);
}
