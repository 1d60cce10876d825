/** `npm run stack`: runs everything but the app, and writes a local.settings.json through which `func start` finds it. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import getPort from "get-port";
import { startDevelopmentStack } from "../../simulators/development-stack.ts";
import { fastSettings } from "../../simulators/gateway-settings.ts";
import { unusualPort } from "../../simulators/process/listen.ts";
import { stopSignal, untilStopped } from "../../simulators/process/stop-signal.ts";
import { fetchAccessToken } from "../stack/access-token.ts";
import { connectionOf, ownConnectionFile, removeConnection, writeConnection } from "../stack/connection.ts";
import { pointEventSinkTo } from "../stack/local-gateway.ts";
import { createCommand } from "../terminal/create-command.ts";
import { introduction } from "../terminal/introduction.ts";
import { recipeHelp } from "../terminal/start-options.ts";

const options = createCommand(
  "npm run stack",
  "Runs everything except the app, for `func start`, until Ctrl-C.",
)
  .option("--replace", "Replaces an existing settings file.")
  .option("--recipe", recipeHelp)
  .option("--settings-file <path>", "The file to write.", "local.settings.json")
  .option(
    "--connection-file <path>",
    "File through which `npm run demo` finds the gateway.",
    ownConnectionFile,
  )
  .parse()
  .opts();
const settingsPath = options.settingsFile;
const connectionPath = options.connectionFile ?? ownConnectionFile;
const usualPort = 7071;

const stopping = stopSignal();
if (existsSync(settingsPath) && !options.replace) {
  console.error(`${settingsPath} exists. Move it away, or replace it with \`npm run stack -- --replace\`.`);
  process.exit(1);
}

const stack = await startDevelopmentStack({ withBlobsAndTables: true });
try {
  await connectApp();
  await untilStopped(stopping);
} finally {
  await stack.stop();
}
console.log("Stopped.");
process.exitCode = 0;

async function connectApp(): Promise<void> {
  const settings = { ...stack.settings, ...fastSettings };
  const port = await getPort({ host: "127.0.0.1", port: usualPort });
  const gatewayUrl = `http://127.0.0.1:${port}`;
  const content = {
    IsEncrypted: false,
    Values: { FUNCTIONS_WORKER_RUNTIME: "node", ...settings },
    Host: { LocalHttpPort: port },
  };
  const text = `${JSON.stringify(content, undefined, 2)}\n`;
  process.on("exit", () => {
    if (existsSync(settingsPath) && readFileSync(settingsPath, "utf8") === text) rmSync(settingsPath);
  });
  writeFileSync(settingsPath, text, { mode: 0o600 });
  pointEventSinkTo(stack, gatewayUrl, settings);
  const connection = connectionOf(stack, gatewayUrl, settings);
  process.on("exit", () => removeConnection(connectionPath));
  await writeConnection(connectionPath, connection);

  if (options.recipe) console.log(introduction(connection, await fetchAccessToken(connection.tokenUrl)));
  console.log(`Wrote ${settingsPath}. It is removed on exit unless you edit it.`);
  console.log(`The gateway's URL will be ${gatewayUrl}${unusualPort(gatewayUrl, usualPort)}.`);
  console.log(
    "The stack is ready. Run `npm run build && func start` in another terminal. Press Ctrl-C to stop.",
  );
}
