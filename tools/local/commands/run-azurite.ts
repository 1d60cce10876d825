/** Runs Azurite as its own process until it is asked to stop. */
import { parseArgs } from "node:util";
import { serveUntilEnded } from "../process/serve-until-ended.ts";
import { startAzurite } from "../simulators/azurite.ts";

const flag = { type: "boolean", default: false } as const;
const { stop, ...addresses } = await startAzurite(parseArgs({ options: { blob: flag, table: flag } }).values);
await serveUntilEnded({ ...addresses }, stop);
