/**
 * Runs the platform simulator as its own process. Usage:
 * `node local/run-platform.ts '{"username":"…","password":"…","eventSink":{"url":"…"}}'`; the options are
 * those of `startPlatformSimulator`.
 */
import { z } from "zod";
import { simulatorOptionsSchema } from "./platform/platform-options.ts";
import { startPlatformSimulator } from "./platform/platform-simulator.ts";
import { serveUntilEnded } from "./process-lifetime.ts";

const defaults = { username: "admin", password: "local-password" };
const given = z.record(z.string(), z.unknown()).parse(JSON.parse(process.argv[2] ?? "{}"));
const options = simulatorOptionsSchema.parse({ ...defaults, ...given });
const platform = await startPlatformSimulator(options);
serveUntilEnded({ url: platform.url, controlUrl: platform.controlUrl }, platform.stop);
