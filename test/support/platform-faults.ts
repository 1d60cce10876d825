/**
 * One fault of the platform per class of failure. A new class needs a row here, and then one in each table of tests.
 */
import type { platformFailures } from "../../src/lib/errors.ts";
import type { FaultInput } from "../../tools/simulators/services/faults.ts";

// No fault makes calls wait for a slot: the tests of the client do.
type CodeOfFault = Exclude<(typeof platformFailures)[number], "gateway-busy">;

/** The codes of the failures, and two further classes whose code is `platform-unavailable`. */
export type PlatformFaultClass = CodeOfFault | "throttled" | "not-from-platform";

export const platformFaults: Readonly<Record<PlatformFaultClass, FaultInput>> = {
  "platform-rejected": { kind: "status", status: 409 },
  "platform-login-refused": { kind: "status", status: 401 },
  "platform-unavailable": { kind: "status", status: 503 },
  "platform-timeout": { kind: "timeout" },
  throttled: { kind: "status", status: 429 },
  "not-from-platform": { kind: "status", status: 403, body: "<html>Blocked</html>" },
};

export const platformFaultClasses = Object.keys(platformFaults) as readonly PlatformFaultClass[];
