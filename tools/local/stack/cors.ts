/** Responds to pages of other origins as API Management does in a deployment, by the rules in its policy file. */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { OnLog } from "../../simulators/host/messages.ts";

const policy = readFileSync(new URL("../../../infra/policies/cors.xml", import.meta.url), "utf8");
const [, maxAge = ""] = /preflight-result-max-age="(\d+)"/.exec(policy) ?? [];
const methods = valuesIn("allowed-methods");
const allowedHeaders = valuesIn("allowed-headers").join(",");
const exposedHeaders = valuesIn("expose-headers").join(",");

/** Returns the texts of the elements in this list of the policy. */
function valuesIn(list: string): string[] {
  const [, content = ""] = new RegExp(`<${list}.*?>(.+?)</${list}>`, "s").exec(policy) ?? [];
  return Array.from(content.matchAll(/<\w+>(.+?)<\/\w+>/g), ([, value = ""]) => value);
}

// The policy belongs to the public operations; API Management knows no OPTIONS operation under /room.
const coveredPath = /^\/public(\/|$)/i;

/**
 * Returns a handler for requests of pages at these origins. It responds to their preflight requests, adds headers to
 * the responses to all others, and returns whether it has responded. It logs each other origin once.
 */
export function createCorsHandler(
  origins: readonly string[],
  onLog: OnLog = () => undefined,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const refused = new Set<string>();
  function logRefusal(origin: string): void {
    if (origins.includes(origin) || refused.has(origin)) return;
    refused.add(origin);
    const message = `Pages of ${origin} may not call the gateway. Allow them with: npm start -- --origin ${origin}`;
    onLog({ level: "warning", category: "Cors", message });
  }

  return ({ method = "", url = "", headers }, response) => {
    const { origin, "access-control-request-method": wanted } = headers;
    if (origin === undefined || !coveredPath.test(url)) return false;
    logRefusal(origin);
    const isPreflight = method === "OPTIONS" && wanted !== undefined;
    const isAllowed = origins.includes(origin) && methods.includes(isPreflight ? wanted : method);
    if (isAllowed) response.setHeader("Access-Control-Allow-Origin", origin);
    if (!isPreflight) {
      if (isAllowed) response.setHeader("Access-Control-Expose-Headers", exposedHeaders);
      return false;
    }
    if (isAllowed) {
      response.setHeader("Access-Control-Allow-Methods", methods.join(","));
      response.setHeader("Access-Control-Allow-Headers", allowedHeaders);
      response.setHeader("Access-Control-Max-Age", maxAge);
    }
    // An unmatched preflight request gets an empty 200 too:
    // https://learn.microsoft.com/azure/api-management/cors-policy#attributes
    response.end();
    return true;
  };
}
