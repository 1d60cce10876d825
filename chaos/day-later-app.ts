/** The app with its clock ahead, as a day later. */
import { moveDate } from "./movable-date.ts";

moveDate(Number(process.env["CHAOS_SECONDS_AHEAD"]));
await import(process.env["CHAOS_BUNDLE_URL"] ?? "");
