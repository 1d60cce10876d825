/** Sends an action's request, as a consumer, an agent or an operator of the simulators would. */
import * as z from "zod";
import { createRuntime } from "../../../client/src/runtime.ts";
import { clientCredentials, createTokenCache } from "../../../client/src/tokens.ts";
import type { Connection } from "../../simulators/connection.ts";
import { consumer, identities } from "../../simulators/identities.ts";
import { parseJson } from "../../simulators/process/parse-json.ts";
import { type Action, type ActionRequest, actions, requestOf, type Values } from "./actions.ts";
import type { ActionResult, Addresses } from "./console-state.ts";

const timeoutMilliseconds = 240_000;
const maxShownCharacters = 4000;
const createdSchema = z.object({ name: z.string() });
/** The gateway gives the reason in `detail`, a simulator in `error`. */
const failureSchema = z.object({ detail: z.string().optional(), error: z.string().optional() });
const secretFields = /"(\w*pin|access_token)":"[^"]*"/g;

/**
 * Creates a runner that keeps its token as the client does. It sends each request only once and shows what comes back,
 * where the client would retry.
 */
export function createActionRunner(connection: Connection, addresses: Addresses) {
  const { tokenUrl } = connection;
  const tokens = createTokenCache(clientCredentials({ ...consumer, tokenUrl }), createRuntime());

  function headersFor(
    identity: ActionRequest["identity"],
    token: string | undefined,
  ): Record<string, string> {
    if (identity === "agent") return { "x-auth-token": identities.agentToken };
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  }

  async function send(request: ActionRequest, { id, done }: Action): Promise<ActionResult> {
    const { method, url, identity, json } = request;
    const hasBody = json !== undefined;
    const token = identity === "consumer" ? await tokens.get() : undefined;
    const response = await fetch(url, {
      method,
      headers: {
        ...headersFor(identity, token),
        ...(hasBody && { "content-type": "application/json" }),
      },
      ...(hasBody && { body: JSON.stringify(json) }),
      signal: AbortSignal.timeout(timeoutMilliseconds),
    });
    const text = await response.text();
    if (response.status === 401 && token !== undefined) tokens.reject(token);
    const created = response.ok ? createdSchema.safeParse(parseJson(text)).data?.name : undefined;
    const { status } = response;
    const retryAfter = response.headers.get("retry-after");
    const failure = response.ok ? undefined : failureSchema.safeParse(parseJson(text)).data;
    const reason = failure?.detail ?? failure?.error;
    const shown =
      response.ok && done !== undefined ? done : (reason?.replace(/[^.]$/, "$&.") ?? hideSecrets(text));
    const notes = [
      id === "create" && status === 404 ? "The pool is empty." : shown,
      retryAfter === null ? "" : `Retry in ${retryAfter} s.`,
    ];
    return {
      status,
      text: notes.filter((note) => note !== "").join(" "),
      ...(created !== undefined && { room: created }),
    };
  }

  return {
    /** Returns the response, or why there is none. Undefined if there is no such action. */
    run: async (id: string, values: Values): Promise<ActionResult | undefined> => {
      const action = actions.find((candidate) => candidate.id === id);
      if (!action) return undefined;
      try {
        return await send(requestOf(action, values, addresses), action);
      } catch (error) {
        return { status: null, text: messageOf(error) };
      }
    },
  };
}

/** Returns the text without PINs and tokens, and not too long. */
function hideSecrets(given: string): string {
  const text = given.replaceAll(secretFields, '"$1":"••••••"');
  const left = text.length - maxShownCharacters;
  return left > 0 ? `${text.slice(0, maxShownCharacters)} … and ${left} more characters` : text;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
