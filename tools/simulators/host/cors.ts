/**
 * Responds to pages of other origins as the host of the Flex Consumption plan does, which applies the app's own CORS.
 * It allows these origins every method and header on every path, and exposes no header:
 * https://github.com/Azure/azure-functions-host/blob/v4.1037.0/src/WebJobs.Script.WebHost/Configuration/CorsOptionsSetup.cs
 * https://github.com/dotnet/aspnetcore/blob/main/src/Middleware/CORS/src/Infrastructure/CorsService.cs
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { OnLog } from "./messages.ts";

/**
 * Returns a handler for requests of pages at these origins. It responds to preflight requests, adds headers to the
 * responses to all others, and returns whether it has responded. It logs each other origin once.
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

  return ({ method, headers }, response) => {
    const { origin, "access-control-request-method": wanted } = headers;
    if (origin === undefined) return false;
    logRefusal(origin);
    const isAllowed = origins.includes(origin);
    if (isAllowed) response.setHeader("Access-Control-Allow-Origin", origin);
    if (isAllowed && origins.length > 1) response.setHeader("Vary", "Origin");
    if (method !== "OPTIONS" || wanted === undefined) return false;
    if (isAllowed) {
      response.setHeader("Access-Control-Allow-Methods", wanted);
      const wantedHeaders = headers["access-control-request-headers"];
      if (wantedHeaders !== undefined) response.setHeader("Access-Control-Allow-Headers", wantedHeaders);
    }
    response.writeHead(204).end();
    return true;
  };
}
