/** `npm run demo`: runs the life of a room as curl lines on a running local gateway, and checks each status. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { findStartedGateway } from "../../simulators/connection.ts";
import { createCommand } from "../../terminal/create-command.ts";
import { failuresIn, lifeOfRoom } from "../terminal/life-of-room.ts";

const options = createCommand(
  "npm run demo",
  "Runs the whole life of a room on a local gateway, as curl lines.",
)
  .option("--connection-file <path>", "The file of a gateway in .tmp/gateways.")
  .parse()
  .opts();

const connection = await findStartedGateway(options.connectionFile);
if (!connection) {
  console.error("npm run demo: no gateway is running. Start one with npm start in another terminal.");
  process.exit(1);
}
console.log(
  `Using the gateway at ${connection.gatewayUrl}. At the end, all its rooms are deleted and the pool is refilled.`,
);
const steps = lifeOfRoom(connection);
// With -v, the shell shows each line before it runs it.
const shell = spawn("sh", ["-c", "exec sh -v 2>&1"], { stdio: ["pipe", "pipe", "inherit"] });
shell.stdin.end(steps.map(({ purpose, commands }) => `\n# ${purpose}\n${commands.join("\n")}\n`).join(""));
let output = "";
shell.stdout.setEncoding("utf8").on("data", (text: string) => {
  output += text;
  process.stdout.write(text);
});
await once(shell, "close");

const failures = failuresIn(steps, output);
console.log(["", `${steps.length} steps, ${failures.length} failed`, ...failures].join("\n"));
if (failures.length > 0) process.exitCode = 1;
