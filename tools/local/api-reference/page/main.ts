/** The API reference beside a running gateway: "try it" calls the gateway with credentials that are filled in. */
import openapi from "../../../../openapi.json";
import { fillIn } from "./helpful.ts";
import { showReference } from "./show-reference.ts";

interface Credentials {
  readonly gateway: string;
  /** Null if the token issuer does not respond. */
  readonly token: string | null;
  readonly agentToken: string;
  readonly sink: { readonly username: string; readonly password: string };
}

const isCreate = /\/room\/create(\/old)?(\?|$)/;

// A token is valid for an hour.
const renewalMilliseconds = 30 * 60 * 1000;

// Filled in, their examples would be sent, and no room has the name in the example.
const notFilledIn = ["idempotency-key", "x-correlation-id", "room_name"];
const noServer = "The console's server does not respond. Start it with npm start, and reload the page.";

start().catch(() => {
  document.querySelector("#reference")?.replaceChildren();
  show(noServer);
});

async function start(): Promise<void> {
  const { gateway } = await fetchCredentials();
  const spec = structuredClone({ ...openapi, servers: [{ url: gateway }] });
  for (const operation of Object.values(spec.paths).flatMap((path) => Object.values(path)))
    for (const parameter of operation.parameters) {
      if (notFilledIn.includes(parameter.name)) Reflect.deleteProperty(parameter, "example");
      // The page encodes what is typed.
      if (parameter.name === "room_name") Object.assign(parameter, { description: "The room's name." });
    }
  // The console's server forwards the calls, because a page of another origin may not call the gateway.
  const proxy = new URL("gateway", location.href).href;
  const send: typeof fetch = async (target, init) => {
    const url = target instanceof Request ? target.url : String(target);
    const response = await fetch(url.replace(gateway, proxy), init).catch(() => {
      show(noServer);
      throw new Error(noServer);
    });
    if (isCreate.test(url)) await fillInFrom(response.clone());
    return response;
  };
  const ui = showReference(spec, { send, onComplete: () => void authorize(ui) });
  setInterval(() => void authorize(ui), renewalMilliseconds);
}

async function authorize(ui: ReturnType<typeof showReference>): Promise<void> {
  const credentials = await fetchCredentials().catch(() => undefined);
  if (!credentials) return show(noServer);
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

/** The next create gets a new key, because the same one would return the same room. */
async function fillInFrom(response: Response): Promise<void> {
  fillIn("idempotency-key", crypto.randomUUID());
  const created: { name?: string } | null = response.ok ? await response.json() : null;
  if (created?.name !== undefined) fillIn("room_name", created.name);
}

async function fetchCredentials(): Promise<Credentials> {
  return (await fetch("credentials.json")).json();
}

function show(text: string): void {
  const status = document.querySelector("#status");
  if (status) status.textContent = text;
}
