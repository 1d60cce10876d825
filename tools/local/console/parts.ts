/** What the gateway and each part around it does, in words. */
import type { DevelopmentStack } from "../../simulators/development-stack.ts";
import type { AppState } from "../../simulators/host/messages.ts";
import { count } from "../../terminal/format.ts";
import type { Snapshot } from "./console-state.ts";

/** Returns `up` for each part that is as usual. */
export function describeParts(
  { platform, issuer, contactCentre }: Pick<DevelopmentStack, "platform" | "issuer" | "contactCentre">,
  app: AppState,
  storageIsDown: boolean,
): Snapshot["parts"] {
  const { faults, latencyMilliseconds, alarms } = platform.switches();
  const waiting = platform.sinkState().queued;
  const refusals = contactCentre.faultCount();
  const ofPlatform = [
    ...(platform.downMode() === undefined ? [] : ["down"]),
    ...(latencyMilliseconds > 0 ? [`slow, ${(latencyMilliseconds / 1000).toFixed(1)} s`] : []),
    ...(faults.length > 0 ? [count(faults.length, "fault")] : []),
    ...(alarms.length > 0 ? [count(alarms.length, "alarm")] : []),
    ...(waiting > 0 ? [`${count(waiting, "event")} waiting`] : []),
  ];
  return {
    Gateway: app.state,
    Storage: storageIsDown ? "down" : "up",
    Platform: ofPlatform.join(", ") || "up",
    "Token issuer": issuer.isDown() ? "down" : "up",
    "Contact centre": refusals > 0 ? `down, ${count(refusals, "fault")} to come` : "up",
  };
}
