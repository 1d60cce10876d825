/** What differs from normal in the gateway and in the parts around it, in words. */
import type { DevelopmentStack } from "../../simulators/development-stack.ts";
import type { AppState } from "../../simulators/host/messages.ts";
import type { Fault } from "../../simulators/services/faults.ts";
import { count } from "../../terminal/format.ts";
import type { Banner, Snapshot, TimelineEntry } from "./console-state.ts";
import { describeFailedCreates } from "./creates.ts";

export interface TroubleFacts {
  readonly stack: Pick<DevelopmentStack, "platform" | "issuer" | "contactCentre">;
  readonly app: AppState;
  readonly storageIsDown: boolean;
  /** The number of requests for rooms that the host has given up. */
  readonly givenUp: number;
  /** Whether the pool has no room and none is on its way to it. */
  readonly poolIsEmpty: boolean;
  readonly entries: readonly TimelineEntry[];
  readonly now: number;
}

export function describeTroubles(facts: TroubleFacts): Pick<Snapshot, "isOutage" | "parts" | "banners"> {
  const { app, storageIsDown, givenUp, poolIsEmpty, entries, now } = facts;
  const { platform, issuer, contactCentre } = facts.stack;
  const { faults, latencyMilliseconds, alarms } = platform.switches();
  const platformIsDown = platform.downMode() !== undefined;
  const isOutage = app.state !== "up" || storageIsDown || platformIsDown;
  const latency = `${(latencyMilliseconds / 1000).toFixed(1)} s`;
  const waiting = platform.sinkState().queued;
  const refusals = contactCentre.faultCount();
  const platformWords: string[] = [];
  const banners: Banner[] = [];
  if (app.state !== "up") {
    const why = app.reason === undefined ? "" : `: ${app.reason}`;
    banners.push({ text: `The gateway is not up (${app.state}), so calls fail${why}` });
  }
  if (storageIsDown)
    banners.push({
      text: "The storage does not respond: creates return 503. The figures of the queues are old.",
    });
  const failedCreates = isOutage ? undefined : describeFailedCreates(entries, now);
  if (failedCreates !== undefined) banners.push({ text: failedCreates });
  if (givenUp > 0) {
    const requests = count(givenUp, "request");
    banners.push({
      text: `The host has given up ${requests} for a room: npm run ops -- fill --local.`,
    });
  }
  if (poolIsEmpty) banners.push({ text: "The pool is empty: creates return 404.", cure: "fill" });
  if (platformIsDown) {
    platformWords.push("down");
    banners.push({ text: "The platform is down: creates return 503.", cure: "up" });
  }
  if (latencyMilliseconds > 0) {
    platformWords.push(`slow, ${latency}`);
    banners.push({ text: `The platform is slow: each call takes ${latency}.`, cure: "fast" });
  }
  if (faults.length > 0) {
    platformWords.push(count(faults.length, "fault"));
    banners.push({
      text: `Calls of the platform fail: ${faults.map(describeFault).join("; ")}.`,
      cure: "heal",
    });
  }
  if (alarms.length > 0) platformWords.push(count(alarms.length, "alarm"));
  if (waiting > 0) platformWords.push(`${count(waiting, "event")} waiting`);
  if (issuer.isDown())
    banners.push({ text: "The token issuer is down: it issues no tokens.", cure: "issuerUp" });
  if (refusals > 0)
    banners.push({ text: "The contact centre fails: agents get 503.", cure: "contactCentreHeals" });
  return {
    isOutage,
    parts: {
      Gateway: app.state,
      Storage: storageIsDown ? "down" : "up",
      Platform: platformWords.join(", ") || "up",
      "Token issuer": issuer.isDown() ? "down" : "up",
      "Contact centre": refusals > 0 ? `down, ${count(refusals, "fault")} to come` : "up",
    },
    banners,
  };
}

/** Returns for example `PATCH with status 403 (3 more)`. */
function describeFault({ method = "all calls", pathPattern = "", kind, status, when, count }: Fault): string {
  const result = kind === "status" ? `status ${status}` : kind === "html500" ? "status 500" : `a ${kind}`;
  const isExecuted = when === "after" ? ", although they take effect" : "";
  const left = count === undefined ? "" : ` (${count} more)`;
  return `${`${method} ${pathPattern}`.trim()} with ${result}${isExecuted}${left}`;
}
