/** The rate limits that API Management applies unless a deployment sets others: the defaults in infra/main.bicepparam. */
import { readFileSync } from "node:fs";
import type { Access } from "../../src/lib/auth/access.ts";

const infrastructure = readFileSync(new URL("../../infra/main.bicepparam", import.meta.url), "utf8");

const publicCalls = `${defaultOf("callsPerMinutePerAddress")} calls per minute and IP address`;

/** How many calls are allowed, as a phrase. */
export const rateLimits: Readonly<Record<Access, string>> = {
  application: `${defaultOf("callsPerMinutePerClient")} calls per minute and client application`,
  agent: publicCalls,
  "event-sink": `${defaultOf("eventsPerMinutePerAddress")} calls per minute and IP address`,
  anyone: publicCalls,
};

function defaultOf(parameter: string): number {
  const [, value] =
    new RegExp(`^ *${parameter}: int\\(readEnvironmentVariable\\('\\w+', '(\\d+)'\\)\\)$`, "m").exec(
      infrastructure,
    ) ?? [];
  if (value === undefined) throw new Error(`infra/main.bicepparam has no default for ${parameter}`);
  return Number(value);
}
