/** The API reference: Swagger UI beside a running gateway, with made-up credentials filled in. */
import "swagger-ui-dist/swagger-ui.css";
import "./reference.css";
import createSwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";

const isCreate = /\/room\/create(\/old)?(\?|$)/;
// A token is valid for an hour.
const renewalMilliseconds = 30 * 60 * 1000;
const noServer = "The console's server does not respond. Start it with npm start, and reload the page.";
const noToken = "No token: the token issuer does not respond. Reload the page to try again.";
const read = async (file: string) => (await fetch(file)).json();
const status = document.querySelector("#status") ?? document.body;
const proxy = new URL("gateway", location.href).href;
const { gateway } = await read("credentials.json");
const openapi = await read("openapi.json");

openapi.servers = [{ url: gateway }];
openapi.components.securitySchemes.bearerToken = { type: "http", scheme: "bearer" };
// No room, and no request, has the values of the document's examples.
const invented = ["idempotency-key", "x-correlation-id", "room_name"];
for (const { parameters } of Object.values(openapi.paths).flatMap((path) => Object.values(path as object)))
  for (const parameter of parameters) if (invented.includes(parameter.name)) delete parameter.example;
const dark = matchMedia("(prefers-color-scheme: dark)");
const followColors = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followColors);
followColors();
new MutationObserver(nameFields).observe(document.body, { childList: true, subtree: true });
const ui = createSwaggerUI({
  spec: openapi,
  dom_id: "#reference",
  tryItOutEnabled: true,
  displayRequestDuration: true,
  onComplete: () => void authorize(),
  requestInterceptor: (request: { url: string; headers: Record<string, string>; userFetch: typeof send }) => {
    // A create with the key of another one would return the same room.
    if (isCreate.test(request.url)) request.headers["idempotency-key"] ??= crypto.randomUUID();
    return { ...request, userFetch: send };
  },
});
setInterval(() => void authorize(), renewalMilliseconds);

/** Sends a request through the console's server, because a page of another origin may not call the gateway. */
async function send(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url.replace(gateway, proxy), init).catch(() => undefined);
  if (!response) throw new Error((status.textContent = noServer));
  if (isCreate.test(url) && response.ok) fillInRoom((await response.clone().json()).name);
  return response;
}

/** Fills in a room's name. Operations that have not been opened yet have no parameters. */
function fillInRoom(name: string): void {
  for (const path of Object.keys(openapi.paths).filter((found) => found.includes("{room_name}")))
    for (const method of Object.keys(openapi.paths[path])) {
      const parameters = ui.specSelectors.specResolvedSubtree(["paths", path, method])?.get("parameters");
      const shown = parameters?.find(
        (parameter: Map<string, unknown>) => parameter.get("name") === "room_name",
      );
      if (shown) ui.specActions.changeParamByIdentity([path, method], shown, name);
      else ui.specActions.changeParam([path, method], "room_name", "path", name);
    }
}

/** Names the fields that Swagger UI leaves without a name. */
function nameFields(): void {
  for (const field of document.querySelectorAll("#reference :is(input, select, textarea):not([aria-label])"))
    field.setAttribute("aria-label", field.closest("tr")?.getAttribute("data-param-name") ?? "Value");
}

async function authorize(): Promise<void> {
  const credentials = await read("credentials.json").catch(() => undefined);
  if (!credentials) return void (status.textContent = noServer);
  const { token, agentToken, sink } = credentials;
  const hasToken = token !== null;
  if (hasToken) ui.preauthorizeApiKey("bearerToken", token);
  ui.preauthorizeApiKey("agentToken", agentToken);
  ui.preauthorizeBasic("eventSinkCredentials", sink.username, sink.password);
  status.textContent = hasToken ? `Calls ${gateway}, with made-up credentials filled in` : noToken;
}
