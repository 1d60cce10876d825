/** Access checks that let every caller in, for tests of what comes after them. */
import type { AccessChecks } from "../../../src/lib/auth/access.ts";

export const openAccess: AccessChecks = {
  application: async () => ({ kind: "application", id: "22222222-2222-4222-8222-222222222222" }),
  agent: async () => ({ kind: "agent" }),
  "event-sink": async () => ({ kind: "event-sink", credentials: "current" }),
  anyone: async () => ({ kind: "anyone" }),
};
