/**
 * `npm start -- --no-app`: runs everything but the app, and writes a local.settings.json through which `func start`
 * finds it.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connectionOf, writeConnection } from "../../simulators/connection.ts";
import { startDevelopmentStack } from "../../simulators/development-stack.ts";
import { localSettings } from "../../simulators/gateway-settings.ts";
import { listen, type Port } from "../../simulators/services/listen.ts";
import { untilStopped } from "../../terminal/stop-signal.ts";
import { preparePlatform } from "./local-gateway.ts";

const settingsPath = "local.settings.json";

export interface WithoutAppOptions {
  readonly set: Readonly<Record<string, string>>;
  /** The port that `func start` is told to use. */
  readonly port: Port;
  readonly replace: boolean;
}

/**
 * Runs until `stopping` aborts. Throws if the port is in use, or if there is a settings file that may not be replaced.
 */
export async function runWithoutApp({ set, port, replace }: WithoutAppOptions, stopping: AbortSignal) {
  if (existsSync(settingsPath) && !replace)
    throw new Error(`${settingsPath} exists. Move it away, or replace it with --replace.`);
  const probe = createServer();
  const gatewayUrl = await listen(probe, port);
  probe.close();
  const stack = await startDevelopmentStack({ withTables: true });
  const settings = { ...stack.settings, ...localSettings, ...set };
  const LocalHttpPort = Number(new URL(gatewayUrl).port);
  const Values = { FUNCTIONS_WORKER_RUNTIME: "node", ...settings };
  const text = `${JSON.stringify({ IsEncrypted: false, Values, Host: { LocalHttpPort } }, undefined, 2)}\n`;
  process.on("exit", () => {
    if (existsSync(settingsPath) && readFileSync(settingsPath, "utf8") === text) rmSync(settingsPath);
  });
  writeFileSync(settingsPath, text, { mode: 0o600 });
  preparePlatform(stack, gatewayUrl, settings);
  writeConnection(connectionOf(stack, gatewayUrl, settings));
  console.log(`Wrote ${settingsPath}. It is removed on exit unless you edit it.`);
  console.log(`The gateway's URL will be ${gatewayUrl}.`);
  console.log("Run `npm run build && npm exec -c 'func start'` in another terminal. Press Ctrl-C to stop.");
  await untilStopped(stopping);
  await stack.stop();
}
