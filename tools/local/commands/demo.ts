/** `npm run demo`: runs the life of a room as curl lines on a running local gateway, and checks each status. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { findStartedGateway } from "../../simulators/connection.ts";
import { bypassProxy } from "../../terminal/bypass-proxy.ts";
import { createCommand } from "../../terminal/create-command.ts";
import { failuresIn, lifeOfRoom, stepsIn } from "../terminal/life-of-room.ts";

createCommand("npm run demo", "Runs the whole life of a room on a local gateway, as curl lines.").parse();

if (spawnSync("curl", ["--version"]).error) {
  console.error("npm run demo: this computer has no curl. Install it and run the command again.");
  process.exit(1);
}
const connection = await findStartedGateway();
if (!connection) {
  console.error("npm run demo: no gateway is running. Start one with npm start in another terminal.");
  process.exit(1);
}
console.log(
  `Using the gateway at ${connection.gatewayUrl}. At the end, all its rooms are deleted and the pool is refilled.`,
);
const script = lifeOfRoom(connection);
// For curl.
bypassProxy();
// With -v, the shell shows each line before it runs it.
const shell = spawn("sh", ["-c", "exec sh -v 2>&1"], { stdio: ["pipe", "pipe", "inherit"] });
shell.stdin.end(script);
let output = "";
shell.stdout.setEncoding("utf8").on("data", (text: string) => {
  output += text;
  process.stdout.write(text);
});
await once(shell, "close");

const failures = failuresIn(script, output);
const steps = stepsIn(script);
console.log(["", `${steps.length} steps, ${failures.length} failed`, ...failures].join("\n"));
process.exitCode = failures.length;
