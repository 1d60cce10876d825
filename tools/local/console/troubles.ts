/** What differs from normal in the gateway and in the parts around it, in words. */
import type { DevelopmentStack } from "../../simulators/development-stack.ts";
import type { Fault } from "../../simulators/faults.ts";
import type { AppState } from "../../simulators/host/messages.ts";
import { count } from "../../terminal/format.ts";
import type { TimelineEntry, Troubles } from "./console-state.ts";
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

const appWords = {
  up: "",
  "not loaded": "did not load, so every call returns 404",
  restarting: "is restarting",
  ended: "has ended permanently",
};

export function describeTroubles({
  stack,
  app,
  storageIsDown,
  givenUp,
  entries,
  now,
}: TroubleFacts): Troubles {
  const { platform, issuer, contactCentre } = stack;
  const { faults, latencyMilliseconds, alarms } = platform.switches();
  const platformIsDown = platform.downMode() !== undefined;
  const isOutage = app.state !== "up" || storageIsDown || platformIsDown;
  const isSlow = latencyMilliseconds > 0;
  const latency = `${(latencyMilliseconds / 1000).toFixed(1)} s`;
  const waiting = platform.sinkState().queued;
  const refusals = contactCentre.faultCount();
  const why = app.reason === undefined ? "" : `: ${app.reason}`;
  const failedCreates = isOutage ? undefined : describeFailedCreates(entries, now);
  const requests = count(givenUp, "request");
  const calls = faults.map(describeFault).join("; ");
  const banners: [isShown: boolean, text: string, actionId?: string, label?: string][] = [
    [app.state !== "up", `The gateway's app ${appWords[app.state]}${why}`],
    [storageIsDown, "The storage does not respond: creates return 503. The figures of the queues are old."],
    [failedCreates !== undefined, failedCreates ?? ""],
    [givenUp > 0, `The host has given up ${requests} for a room: npm run ops -- redrive --local.`],
    [platformIsDown, "The platform is down: creates return 503.", "up", "Bring it up"],
    [faults.length > 0, `Calls of the platform fail: ${calls}.`, "heal", "Clear all faults"],
    [isSlow, `The platform is slow: each call takes ${latency}.`, "fast", "Make it fast again"],
    [issuer.isDown(), "The token issuer is down: it issues no tokens.", "issuerUp", "Let it recover"],
    [refusals > 0, "The contact centre fails: agents get 503.", "contactCentreHeals", "Let it recover"],
  ];
  return {
    isOutage,
    parts: {
      Gateway: app.state,
      Storage: storageIsDown ? "down" : "up",
      Platform:
        [
          ...(platformIsDown ? ["down"] : []),
          ...(isSlow ? [`slow, ${latency}`] : []),
          ...(faults.length > 0 ? [count(faults.length, "fault")] : []),
          ...(alarms.length > 0 ? [count(alarms.length, "alarm")] : []),
          ...(waiting > 0 ? [`${count(waiting, "event")} waiting`] : []),
        ].join(", ") || "up",
      "Token issuer": issuer.isDown() ? "down" : "up",
      "Contact centre": refusals > 0 ? `${count(refusals, "fault")} to come` : "up",
    },
    down: [
      ...(storageIsDown ? ["Storage"] : []),
      ...(platformIsDown ? ["Platform"] : []),
      ...(issuer.isDown() ? ["Token issuer"] : []),
      ...(refusals > 0 ? ["Contact centre"] : []),
    ],
    banners: banners.flatMap(([isShown, text, actionId, label]) =>
      isShown ? [{ text, actionId, label }] : [],
    ),
  };
}

/** Returns for example `PATCH with status 403 (3 more)`. */
function describeFault({ method = "all calls", pathPattern = "", kind, status, when, count }: Fault): string {
  const result = kind === "status" ? `status ${status}` : kind === "html500" ? "status 500" : `a ${kind}`;
  const isExecuted = when === "after" ? ", although they take effect" : "";
  const left = count === undefined ? "" : ` (${count} more)`;
  return `${`${method} ${pathPattern}`.trim()} with ${result}${isExecuted}${left}`;
}
