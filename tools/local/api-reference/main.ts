/** The API reference: Swagger UI beside a running gateway, with made-up credentials and a room filled in. */
import "swagger-ui-dist/swagger-ui.css";
import createSwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";

const read = async (file: string, init?: RequestInit) => (await fetch(file, init)).json();
const { gateway, token, agentToken, sink } = await read("credentials.json");
const proxy = new URL("gateway", location.href).href;
const rooms = await read("gateway/room/list", { headers: { authorization: `Bearer ${token}` } }).catch(
  () => undefined,
);
const openapi = await read("openapi.json");
openapi.servers = [{ url: gateway }];
openapi.components.securitySchemes.bearerToken = { type: "http", scheme: "bearer" };
// The document's examples of these are filled in otherwise: all creates would have the same key.
const examples = new Map([
  ["room_name", rooms?.[0]?.name],
  ["idempotency-key", undefined],
  ["x-correlation-id", undefined],
]);
for (const { parameters } of Object.values(openapi.paths).flatMap((path) => Object.values(path as object)))
  for (const parameter of parameters)
    if (examples.has(parameter.name)) parameter.example = examples.get(parameter.name);

const ui = createSwaggerUI({
  spec: openapi,
  dom_id: "#reference",
  tryItOutEnabled: true,
  displayRequestDuration: true,
  persistAuthorization: true,
  onComplete: () => {
    if (token !== null) ui.preauthorizeApiKey("bearerToken", token);
    ui.preauthorizeApiKey("agentToken", agentToken);
    ui.preauthorizeBasic("eventSinkCredentials", sink.username, sink.password);
  },
  // A page of another origin may not call the gateway, so the console's server forwards the request.
  requestInterceptor: (request: { userFetch: (url: string, init: RequestInit) => Promise<Response> }) => {
    request.userFetch = async (url, init) => fetch(url.replace(gateway, proxy), init);
    return request;
  },
});
