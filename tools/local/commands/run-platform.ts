/**
 * Runs the platform simulator as its own process. Usage:
 * `node tools/local/commands/run-platform.ts '{"username":"…","password":"…"}'`; the options are
 * those of `startPlatformSimulator`.
 */
import * as z from "zod";
import { serveUntilEnded } from "../process/serve-until-ended.ts";
import { simulatorOptionsSchema, startPlatformSimulator } from "../simulators/platform/platform-simulator.ts";

const defaults = { username: "admin", password: "local-password" };
const given = z.record(z.string(), z.unknown()).parse(JSON.parse(process.argv[2] ?? "{}"));
const options = simulatorOptionsSchema.parse({ ...defaults, ...given });
const platform = await startPlatformSimulator(options);
await serveUntilEnded({ url: platform.url, controlUrl: platform.controlUrl }, platform.stop);
