// Command line: runs Azurite until a signal comes or the parent process closes our stdin.
import { parseArgs } from "node:util";
import { startAzurite } from "../simulators/azurite.ts";

const { values } = parseArgs({ options: { blob: { type: "boolean" }, table: { type: "boolean" } } });
const azurite = await startAzurite({ blob: values.blob ?? false, table: values.table ?? false });
process.stdout.write(`${JSON.stringify(azurite)}\n`);

const end = (): void => {
  azurite.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  );
};
process.once("SIGINT", end);
process.once("SIGTERM", end);
process.stdin.once("end", end);
process.stdin.resume();
