/** Starts a simulated conferencing platform: Management API, event sink and control API. */
import { type Answer, type LoopbackRequest, startLoopbackServer } from "../loopback-server.ts";
import { createAuthentication } from "./authentication.ts";
import { createControl, createControlRoutes, type DownMode, type Reachability } from "./control.ts";
import { createManagementApi } from "./management-api.ts";
import { createPlatformState, type SimulatorOptions } from "./platform-state.ts";

export type PlatformSimulator = Awaited<ReturnType<typeof startPlatformSimulator>>;

/**
 * Starts the simulator on 127.0.0.1, with all state in memory. Its functions do the same as the control API.
 * `goDown("refuse")` closes the listening socket; `"reset"` and `"503"` keep it open.
 */
export async function startPlatformSimulator(options: SimulatorOptions) {
  const state = createPlatformState(options);
  const control = createControl(state);
  const closing = new AbortController();
  const { username, password, oauthClients = [], now = Date.now } = options;
  const authentication = createAuthentication({ username, password, oauthClients, now });
  const manage = createManagementApi(state, authentication, () => url, closing.signal);
  let downMode: DownMode | undefined;

  const answer = (request: LoopbackRequest): Answer | Promise<Answer> => {
    if (downMode === undefined) return manage(request);
    return downMode === "503" ? { status: 503 } : "reset";
  };

  let server = await startLoopbackServer(answer);
  const { url } = server;
  const port = Number(new URL(url).port);

  const goUp = async (): Promise<void> => {
    if (downMode === "refuse") server = await startLoopbackServer(answer, port);
    downMode = undefined;
  };
  const goDown = async (mode: DownMode = "refuse"): Promise<void> => {
    await goUp();
    downMode = mode;
    if (mode === "refuse") await server.stop();
  };
  const reachability: Reachability = { goDown, goUp, downMode: () => downMode };
  const controlServer = await startLoopbackServer(createControlRoutes(control, reachability));

  let stopping: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    closing.abort();
    state.sink.clear();
    if (downMode !== "refuse") await server.stop();
    await controlServer.stop();
  };
  return {
    ...control,
    ...reachability,
    /** URL of the Management API; `goDown` and `goUp` do not change it. */
    url,
    /** URL of the control API, which is reachable even while the platform is down. */
    controlUrl: controlServer.url,
    stop: async () => {
      stopping ??= end();
      return stopping;
    },
  };
}
