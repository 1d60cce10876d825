/** The API reference beside a running gateway: "try it" calls the gateway with credentials that are filled in. */
import openapi from "../../../../openapi.json";
import { showReference } from "./show-reference.ts";

interface Credentials {
  readonly gateway: string;
  readonly token: string;
  readonly agentToken: string;
  readonly sink: { readonly username: string; readonly password: string };
}

// A token is valid for an hour.
const renewalMilliseconds = 30 * 60 * 1000;

// Filled in, their examples would be sent: a second create would return the room of the first one, and no room has
// the name in the example.
const notFilledIn = ["idempotency-key", "x-correlation-id", "room_name"];

const methods = ["get", "post", "patch", "delete"];
// The console's server forwards these calls, because a page of another origin may not call the gateway.
const spec = structuredClone({ ...openapi, servers: [{ url: new URL("gateway", location.href).href }] });
for (const operation of Object.values(spec.paths).flatMap((path) => Object.values(path)))
  for (const parameter of operation.parameters)
    if (notFilledIn.includes(parameter.name)) Reflect.deleteProperty(parameter, "example");

const ui = showReference(spec, { methods, onComplete: () => void authorize() });
setInterval(() => void authorize(), renewalMilliseconds);
document.querySelector("#console")?.removeAttribute("hidden");

async function authorize(): Promise<void> {
  const response = await fetch("credentials.json").catch(() => undefined);
  if (!response?.ok)
    return show("No token: the token issuer does not respond. Reload the page to try again.");
  const { gateway, token, agentToken, sink } = (await response.json()) as Credentials;
  const { bearerToken, agentToken: agent, eventSinkCredentials } = openapi.components.securitySchemes;
  ui.authActions.authorizeOauth2({
    auth: { name: "bearerToken", schema: bearerToken },
    token: { access_token: token, token_type: "Bearer" },
  });
  ui.authActions.authorize({
    agentToken: { name: "agentToken", schema: agent, value: agentToken },
    eventSinkCredentials: { name: "eventSinkCredentials", schema: eventSinkCredentials, value: sink },
  });
  show(`Calls ${gateway}, with made-up credentials filled in`);
}

function show(text: string): void {
  const status = document.querySelector("#status");
  if (status) status.textContent = text;
}
