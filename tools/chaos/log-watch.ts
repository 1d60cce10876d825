/** Reads what the instances log, and looks for secrets, unexpected errors and claims that contradict each other. */
import * as z from "zod";
import { identities } from "../local/stack/identities.ts";
import { hostPin } from "./environment.ts";

export type LogWatch = ReturnType<typeof createLogWatch>;

/** The beginning of every service tag in a run. */
export const tagBase = "https://verify.example.com/sessions/chaos-";

const lineSchema = z.object({ level: z.string(), category: z.string(), message: z.string() });
const eventSchema = z.object({ event: z.string(), room: z.string().optional() });

const secrets: readonly (string | RegExp)[] = [
  tagBase,
  Buffer.from(tagBase).toString("hex"),
  hostPin,
  // Guest PINs have as many digits as the host PIN.
  new RegExp(`(?<![\\w-])\\d{${hostPin.length}}(?![\\w-])`),
  identities.platformPassword,
  identities.sinkPassword,
  identities.clientSecret,
  /\beyJ[\w-]{20}/,
  /AccountKey=/,
];
const unexpectedEvents = ["request-failed", "duplicate-message", "provisioning-request-malformed"];
const givenUpEvents = ["room-discarded", "claim-lost", "room-leaked"];
const httpFailure = /^Executed 'Functions\.(?!provisionRoom|collect)\w+' \(Failed/;
const maxShownCharacters = 400;

export function createLogWatch() {
  const claims = new Map<string, number>();
  /** Rooms that a claim gave up. No caller may have them. */
  const givenUp = new Set<string>();
  /** The beginnings of lines that contain a secret, and of lines about unexpected errors. */
  const [linesWithSecrets, unexpectedErrors]: [string[], string[]] = [[], []];

  function read(line: string): void {
    if (secrets.some((secret) => (typeof secret === "string" ? line.includes(secret) : secret.test(line))))
      linesWithSecrets.push(line.slice(0, maxShownCharacters));
    const { message, category } = lineSchema.parse(JSON.parse(line));
    const { event, room } = message.startsWith('{"event":')
      ? eventSchema.parse(JSON.parse(message))
      : { event: "", room: undefined };
    if (httpFailure.test(message) || category === "Host.Worker" || unexpectedEvents.includes(event))
      unexpectedErrors.push(message.slice(0, maxShownCharacters));
    if (room === undefined) return;
    if (event === "room-claimed") claims.set(room, (claims.get(room) ?? 0) + 1);
    if (givenUpEvents.includes(event)) givenUp.add(room);
  }

  return {
    read,
    givenUp,
    linesWithSecrets,
    unexpectedErrors,
    /** Rooms that more than one claim reports as handed out. */
    claimedTwice: (): string[] => [...claims].filter(([, count]) => count > 1).map(([room]) => room),
  };
}
