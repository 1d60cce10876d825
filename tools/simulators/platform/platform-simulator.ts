/** Starts a simulated conferencing platform: Management API, event sink and control API. */
import { startLoopbackServer } from "../services/loopback-server.ts";
import { createAuthentication } from "./authentication.ts";
import { createControl, createControlRoutes } from "./control.ts";
import { createManagementApi } from "./management-api.ts";
import { createPlatformState } from "./state.ts";

export type PlatformSimulator = Awaited<ReturnType<typeof startPlatformSimulator>>;

/**
 * Starts the simulator on 127.0.0.1, with all state in memory. Its functions do the same as the control API.
 * `goDown("refuse")` closes the listening socket; `"reset"` and `"503"` keep it open. `now` returns milliseconds since
 * 1970.
 */
export async function startPlatformSimulator(now: () => number = Date.now) {
  const state = createPlatformState(now);
  const closing = new AbortController();
  const manage = createManagementApi(state, createAuthentication(), closing.signal);
  let server = await startLoopbackServer(manage);
  const { url } = server;
  const control = createControl(state, async (listens) => {
    if (listens) server = await startLoopbackServer(manage, Number(new URL(url).port));
    else await server.stop();
  });
  const controlServer = await startLoopbackServer(createControlRoutes(control));
  return {
    ...control,
    /** URL of the Management API; `goDown` and `goUp` do not change it. */
    url,
    /** URL of the control API, which is reachable even while the platform is down. */
    controlUrl: controlServer.url,
    stop: async (): Promise<void> => {
      closing.abort();
      state.sink.clear();
      await Promise.all([server.stop(), controlServer.stop()]);
    },
  };
}
