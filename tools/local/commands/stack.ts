/** `npm run stack`: runs everything but the app, and writes a local.settings.json through which `func start` finds it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import getPort from "get-port";
import { connectionOf, removeConnection, writeConnection } from "../../simulators/connection.ts";
import { startDevelopmentStack } from "../../simulators/development-stack.ts";
import { localSettings } from "../../simulators/gateway-settings.ts";
import { stopSignal, untilStopped } from "../../simulators/process/stop-signal.ts";
import { createCommand } from "../../terminal/create-command.ts";
import { pointEventSinkTo } from "../stack/local-gateway.ts";

const settingsPath = "local.settings.json";
const usualPort = 7071;

const options = createCommand(
  "npm run stack",
  "Runs everything except the app, for `func start`, until Ctrl-C.",
)
  .option("--replace", `Replaces ${settingsPath}.`)
  .parse()
  .opts();

const stopping = stopSignal();
if (existsSync(settingsPath) && !options.replace) {
  console.error(`${settingsPath} exists. Move it away, or replace it with \`npm run stack -- --replace\`.`);
  process.exit(1);
}

const stack = await startDevelopmentStack({ withTables: true });
const settings = { ...stack.settings, ...localSettings };
const port = await getPort({ host: "127.0.0.1", port: usualPort });
const gatewayUrl = `http://127.0.0.1:${port}`;
const content = {
  IsEncrypted: false,
  Values: { FUNCTIONS_WORKER_RUNTIME: "node", ...settings },
  Host: { LocalHttpPort: port },
};
const text = `${JSON.stringify(content, undefined, 2)}\n`;
process.on("exit", () => {
  removeConnection();
  if (existsSync(settingsPath) && readFileSync(settingsPath, "utf8") === text) rmSync(settingsPath);
});
writeFileSync(settingsPath, text, { mode: 0o600 });
pointEventSinkTo(stack, gatewayUrl, settings);
await writeConnection(connectionOf(stack, gatewayUrl, settings));
console.log(`Wrote ${settingsPath}. It is removed on exit unless you edit it.`);
console.log(`The gateway's URL will be ${gatewayUrl}.`);
console.log("Run `npm run build && npm exec -c 'func start'` in another terminal. Press Ctrl-C to stop.");
await untilStopped(stopping);
await stack.stop();
console.log("Stopped.");
process.exit();
