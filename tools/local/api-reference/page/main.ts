/** The API reference beside a running gateway: "try it" calls the gateway with credentials that are filled in. */
import openapi from "../../../../openapi.json";
import { showReference } from "./show-reference.ts";

interface Credentials {
  readonly gateway: string;
  /** Null if the token issuer does not respond. */
  readonly token: string | null;
  readonly agentToken: string;
  readonly sink: { readonly username: string; readonly password: string };
}

// A token is valid for an hour.
const renewalMilliseconds = 30 * 60 * 1000;

// Filled in, their examples would be sent: a second create would return the room of the first one, and no room has
// the name in the example.
const notFilledIn = ["idempotency-key", "x-correlation-id", "room_name"];

void start();

async function start(): Promise<void> {
  const { gateway } = await fetchCredentials();
  const spec = structuredClone({ ...openapi, servers: [{ url: gateway }] });
  for (const operation of Object.values(spec.paths).flatMap((path) => Object.values(path)))
    for (const parameter of operation.parameters)
      if (notFilledIn.includes(parameter.name)) Reflect.deleteProperty(parameter, "example");
  // The console's server forwards the calls, because a page of another origin may not call the gateway.
  const proxy = new URL("gateway", location.href).href;
  const send: typeof fetch = async (target, init) => {
    const url = target instanceof Request ? target.url : String(target);
    return fetch(url.replace(gateway, proxy), init);
  };
  const ui = showReference(spec, { send, onComplete: () => void authorize(ui) });
  setInterval(() => void authorize(ui), renewalMilliseconds);
}

async function authorize(ui: ReturnType<typeof showReference>): Promise<void> {
  const credentials = await fetchCredentials().catch(() => undefined);
  if (!credentials) return show("The console's server does not respond. Reload the page to try again.");
  const { gateway, token, agentToken, sink } = credentials;
  const { bearerToken, agentToken: agent, eventSinkCredentials } = openapi.components.securitySchemes;
  if (token !== null)
    ui.authActions.authorizeOauth2({
      auth: { name: "bearerToken", schema: bearerToken },
      token: { access_token: token, token_type: "Bearer" },
    });
  ui.authActions.authorize({
    agentToken: { name: "agentToken", schema: agent, value: agentToken },
    eventSinkCredentials: { name: "eventSinkCredentials", schema: eventSinkCredentials, value: sink },
  });
  show(
    token === null
      ? "No token: the token issuer does not respond. Reload the page to try again."
      : `Calls ${gateway}, with made-up credentials filled in`,
  );
}

async function fetchCredentials(): Promise<Credentials> {
  return (await fetch("credentials.json")).json();
}

function show(text: string): void {
  const status = document.querySelector("#status");
  if (status) status.textContent = text;
}
