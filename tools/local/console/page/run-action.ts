/** Sends an action's request through the console's server, once, and describes the response. */
import { type Action, requestOf, type Values } from "../actions.ts";
import { describeResponse } from "../view.ts";

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
    const { status } = response;
    const retryAfter = response.headers.get("retry-after");
    return { status, ...describeResponse(id, { status, text: await response.text(), retryAfter }) };
  } catch {
    return { text: "The console's server does not respond." };
  }
}
