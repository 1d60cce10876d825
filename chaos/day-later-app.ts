/** The app a day later: what is counted only after 24 hours shows in the metrics of this process. */
import { moveDate } from "./movable-date.ts";

moveDate(25 * 3600);
await import(process.env["CHAOS_BUNDLE_URL"] ?? "");
