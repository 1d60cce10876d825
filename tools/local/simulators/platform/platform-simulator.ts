/** Starts a simulated conferencing platform: Management API, event sink and control API. */
import { type Answer, type LoopbackRequest, startLoopbackServer } from "../loopback-server.ts";
import { createControlRoutes, type DownMode, type Reachability } from "./control/control-routes.ts";
import { createControl, type PlatformControl } from "./control/platform-control.ts";
import { createAuthentication } from "./management-api/authentication.ts";
import { createManagementApi } from "./management-api/management-api.ts";
import type { SimulatorOptions } from "./platform-options.ts";
import { createPlatformState } from "./platform-state.ts";

export type PlatformSimulator = PlatformControl &
  Reachability & {
    /** Address of the Management API; `goDown` and `goUp` do not change it. */
    url: string;
    /** Address of the control API, which is reachable even while the platform is down. */
    controlUrl: string;
    stop: () => Promise<void>;
  };

/**
 * Starts the simulator on 127.0.0.1, with all state in memory. Its functions do the same as the control API.
 * `goDown("refuse")` closes the listening socket; `"reset"` and `"503"` keep it open.
 */
export async function startPlatformSimulator(options: SimulatorOptions): Promise<PlatformSimulator> {
  const state = createPlatformState(options);
  const control = createControl(state, options);
  const closing = new AbortController();
  const { username, password, oauthClients = [] } = options;
  const authentication = createAuthentication({ username, password, oauthClients, now: state.clock.now });
  const manage = createManagementApi(state, authentication, () => url, closing.signal);
  let downMode: DownMode | undefined;

  const answer = (request: LoopbackRequest): Answer | Promise<Answer> => {
    if (downMode === undefined) return manage(request);
    return downMode === "503" ? { status: 503 } : "reset";
  };

  let server = await startLoopbackServer(answer);
  const { url, port } = server;

  const goUp = async (): Promise<void> => {
    if (downMode === "refuse") server = await startLoopbackServer(answer, port);
    downMode = undefined;
  };
  const goDown = async (mode: DownMode = "refuse"): Promise<void> => {
    await goUp();
    downMode = mode;
    if (mode === "refuse") await server.stop();
  };

  const controlServer = await startLoopbackServer(
    createControlRoutes(control, { goDown, goUp, downMode: () => downMode }),
  );

  let stopping: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    closing.abort();
    state.sink.clear();
    if (downMode !== "refuse") await server.stop();
    await controlServer.stop();
  };

  return {
    ...control,
    url,
    controlUrl: controlServer.url,
    goDown,
    goUp,
    downMode: () => downMode,
    stop: async () => {
      stopping ??= end();
      return stopping;
    },
  };
}
