/** The API reference: Swagger UI beside a running gateway, with credentials that are filled in. */
import "swagger-ui-dist/swagger-ui.css";
import "./reference.css";
import createSwaggerUI, { type SwaggerUI } from "swagger-ui-dist/swagger-ui-es-bundle.js";
import openapi from "../../../../openapi.json";
import { accessible } from "./accessible.ts";
import { fillInRoom, helpful } from "./helpful.ts";

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
  followColorScheme();
  const { gateway } = await fetchCredentials();
  const ui = createSwaggerUI({
    spec: documentFor(gateway),
    dom_id: "#reference",
    plugins: [accessible, helpful],
    requestInterceptor: (request) => {
      // A create with the key of another one would return the same room.
      if (isCreate.test(request.url)) request.headers["idempotency-key"] ??= crypto.randomUUID();
      return { ...request, userFetch: async (target, init) => send(gateway, target, init) };
    },
    tryItOutEnabled: true,
    displayRequestDuration: true,
    onComplete: () => void authorize(ui),
  });
  setInterval(() => void authorize(ui), renewalMilliseconds);
}

/** Returns the API document of the gateway at this URL. */
function documentFor(gateway: string): object {
  const { securitySchemes } = openapi.components;
  const bearerToken = {
    type: "http",
    scheme: "bearer",
    description: securitySchemes.bearerToken.description,
  };
  const document = structuredClone({
    ...openapi,
    servers: [{ url: gateway }],
    components: { ...openapi.components, securitySchemes: { ...securitySchemes, bearerToken } },
  });
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path)))
    for (const parameter of operation.parameters) {
      if (notFilledIn.includes(parameter.name)) Reflect.deleteProperty(parameter, "example");
      // The page encodes what is typed.
      if (parameter.name === "room_name") Object.assign(parameter, { description: "The room's name." });
    }
  return document;
}

/** Sends a request through the console's server, because a page of another origin may not call the gateway. */
async function send(gateway: string, target: string, init: RequestInit): Promise<Response> {
  const proxy = new URL("gateway", location.href).href;
  const response = await fetch(target.replace(gateway, proxy), init).catch(() => {
    show(noServer);
    throw new Error(noServer);
  });
  if (isCreate.test(target) && response.ok) fillInRoom((await response.clone().json()).name);
  return response;
}

async function authorize(ui: SwaggerUI): Promise<void> {
  const credentials = await fetchCredentials().catch(() => undefined);
  if (!credentials) return show(noServer);
  const { gateway, token, agentToken, sink } = credentials;
  if (token !== null) ui.preauthorizeApiKey("bearerToken", token);
  ui.preauthorizeApiKey("agentToken", agentToken);
  ui.preauthorizeBasic("eventSinkCredentials", sink.username, sink.password);
  show(
    token === null
      ? "No token: the token issuer does not respond. Reload the page to try again."
      : `Calls ${gateway}, with made-up credentials filled in`,
  );
}

async function fetchCredentials(): Promise<Credentials> {
  return (await fetch("credentials.json")).json();
}

/** Swagger UI has a dark mode, which follows a class and not the setting of the computer. */
function followColorScheme(): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", apply);
  apply();
}

function show(text: string): void {
  const status = document.querySelector("#status");
  if (status) status.textContent = text;
}
