/** Sends an action's request through the console's server, once, and describes the response. */
import { type Action, requestOf, type Values } from "../actions.ts";

export interface ActionResult {
  readonly status?: number;
  readonly text: string;
  /** The room that was created. */
  readonly room?: string;
}

/** Returns the response, or that there was none. */
export async function runAction(action: Action, values: Values): Promise<ActionResult> {
  const { id, at, as } = action;
  const { method, path, body } = requestOf(action, values);
  try {
    const { token, agentToken } = await (await fetch("/api/credentials.json")).json();
    const identities = {
      consumer: { authorization: `Bearer ${token}` },
      agent: { "x-auth-token": agentToken },
    };
    const headers = { ...(as && identities[as]), ...(body && { "content-type": "application/json" }) };
    const response = await fetch(`/actions/${at}${path}`, { method, headers, body: body ?? null });
    const { ok, status } = response;
    const text = await response.text();
    const content = text.startsWith("{") ? JSON.parse(text) : undefined;
    // The gateway gives the reason in `detail`, a simulator in `error`.
    const reason =
      id === "create" && status === 404 ? "The pool is empty." : (content?.detail ?? content?.error);
    const sentence = !ok && typeof reason === "string" ? reason.replace(/[^.]$/, "$&.") : undefined;
    const shown = sentence ?? JSON.stringify(content, undefined, 2) ?? text;
    const retryAfter = response.headers.get("retry-after");
    const retry = retryAfter === null ? "" : ` Retry in ${retryAfter} s.`;
    return { status, text: shown + retry, ...(ok && content?.name && { room: content.name }) };
  } catch {
    return { text: "The console's server does not respond." };
  }
}
