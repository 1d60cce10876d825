/** Runs Azurite as its own process until its end is requested. */
import { serveUntilEnded } from "../process/serve-until-ended.ts";
import { startAzurite } from "../simulators/azurite.ts";
import { readOptions } from "../terminal/read-options.ts";

const values = readOptions({ blob: { type: "boolean" }, table: { type: "boolean" } });
const { stop, ...addresses } = await startAzurite({
  blob: values.blob ?? false,
  table: values.table ?? false,
});
await serveUntilEnded({ ...addresses }, stop);
