/** What differs from normal in the gateway and in the parts around it, in words. */
import type { DevelopmentStack } from "../../simulators/development-stack.ts";
import type { Fault } from "../../simulators/faults.ts";
import type { AppState } from "../../simulators/host/messages.ts";
import { count } from "../../terminal/format.ts";
import type { TimelineEntry, Trouble } from "./console-state.ts";
import { describeFailedCreates } from "./creates.ts";

export interface TroubleFacts {
  readonly stack: DevelopmentStack;
  readonly app: AppState;
  readonly storageIsDown: boolean;
  /** The number of requests for rooms that the host has given up. */
  readonly givenUp: number;
  readonly entries: readonly TimelineEntry[];
  readonly now: number;
}

const appWords: Readonly<Record<AppState["state"], string>> = {
  up: "",
  "not loaded": "did not load, so every call returns 404",
  restarting: "is restarting",
  ended: "has ended permanently",
};

export function describeTroubles({ stack, app, storageIsDown, givenUp, entries, now }: TroubleFacts) {
  const { platform, issuer, contactCentre } = stack;
  const { faults, latencyMilliseconds, alarms } = platform.switches();
  const platformIsDown = platform.downMode() !== undefined;
  const latency = `${(latencyMilliseconds / 1000).toFixed(1)} s`;
  const waiting = platform.sinkState().queued;
  const refusals = contactCentre.faultCount();
  const why = app.reason === undefined ? "" : `: ${app.reason}`;
  const isExplained = app.state !== "up" || storageIsDown || platformIsDown;
  const failedCreates = isExplained ? undefined : describeFailedCreates(entries, now);
  const candidates: (Trouble | false)[] = [
    app.state !== "up" && {
      part: "Gateway",
      short: app.state,
      text: `The gateway's app ${appWords[app.state]}${why}`,
      isOutage: true,
    },
    failedCreates !== undefined && { part: "Gateway", text: failedCreates },
    givenUp > 0 && {
      part: "Gateway",
      text: `The host has given up ${count(givenUp, "request")} for a room: npm run ops -- redrive --local.`,
    },
    storageIsDown && {
      part: "Storage",
      short: "down",
      text: "The storage does not respond: creates return 503. The figures of the queues are old.",
      isOutage: true,
    },
    platformIsDown && {
      part: "Platform",
      short: "down",
      text: "The platform is down: creates return 503.",
      end: ["up", "Bring it up"],
      isOutage: true,
    },
    latencyMilliseconds > 0 && {
      part: "Platform",
      short: `slow, ${latency}`,
      text: `The platform is slow: each call takes ${latency}.`,
      end: ["fast", "Make it fast again"],
    },
    faults.length > 0 && {
      part: "Platform",
      short: count(faults.length, "fault"),
      text: `Calls of the platform fail: ${faults.map(describeFault).join("; ")}.`,
      end: ["heal", "Clear all faults"],
    },
    alarms.length > 0 && { part: "Platform", short: count(alarms.length, "alarm") },
    waiting > 0 && { part: "Platform", short: `${count(waiting, "event")} waiting` },
    issuer.isDown() && {
      part: "Token issuer",
      short: "down",
      text: "The token issuer is down: it issues no tokens.",
      end: ["issuerUp", "Let it recover"],
      isOutage: true,
    },
    refusals > 0 && {
      part: "Contact centre",
      short: `${count(refusals, "fault")} to come`,
      text: "The contact centre fails: agents get 503.",
      end: ["contactCentreHeals", "Let it recover"],
      isOutage: true,
    },
  ];
  return candidates.filter((trouble) => trouble !== false);
}

/** Returns for example `PATCH with status 403 (3 more)`. */
function describeFault({ method, pathPattern, kind, status, when, count }: Fault): string {
  const path = pathPattern === undefined ? "" : ` ${pathPattern}`;
  const results = {
    status: `status ${status}`,
    html500: "status 500",
    reset: "a reset",
    timeout: "a timeout",
  };
  const isExecuted = when === "after" ? ", although they take effect" : "";
  const left = count === undefined ? "" : ` (${count} more)`;
  return `${method ?? "all calls"}${path} with ${results[kind]}${isExecuted}${left}`;
}
