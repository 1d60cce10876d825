/** Reads what the app processes log: counts events, remembers what became of each room, and looks out for secrets. */
import { z } from "zod";
import { identities } from "../local/gateway/identities.ts";
import { hostPin } from "./environment.ts";

interface LoggedStep {
  /** When the line came in, in milliseconds since 1970. */
  readonly at: number;
  readonly processId: number;
  /** For example `room-discarded: assignment-unknown`. */
  readonly text: string;
}

export interface LogWatch {
  read(line: string, processId: number): void;
  /** How often an event was logged. */
  count(event: string): number;
  /** What was logged about a room, in order. */
  storyOf(room: string): readonly LoggedStep[];
  /** Rooms that more than one claim says it handed out. */
  claimedTwice(): string[];
  /** The beginnings of lines that hold a secret. */
  readonly leakedSecrets: readonly string[];
  /** The beginnings of lines about errors that nobody has foreseen. */
  readonly surprises: readonly string[];
}

/** Every service tag of a run begins with this. */
export const tagBase = "https://verify.example.com/sessions/chaos-";

const lineSchema = z.object({ level: z.string(), category: z.string(), message: z.string() });
const eventSchema = z.object({
  event: z.string(),
  room: z.string().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
  function: z.string().optional(),
});

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
const surprisingEvents = ["request-failed", "duplicate-message", "provisioning-request-malformed"];
const httpFailure = /^Executed 'Functions\.(?!provisionRoom|collect)\w+' \(Failed/;
const uninteresting = ["request", "room-provisioned", "room-claimed"];

export function createLogWatch(): LogWatch {
  const counts = new Map<string, number>();
  const stories = new Map<string, LoggedStep[]>();
  const claims = new Map<string, number>();
  const leakedSecrets: string[] = [];
  const surprises: string[] = [];

  function read(line: string, processId: number): void {
    const isLeak = secrets.some((secret) =>
      typeof secret === "string" ? line.includes(secret) : secret.test(line),
    );
    if (isLeak) leakedSecrets.push(line.slice(0, 400));
    const { message, category } = lineSchema.parse(JSON.parse(line));
    if (httpFailure.test(message) || category === "Host.Worker") surprises.push(message.slice(0, 400));
    if (message.startsWith('{"event":')) {
      note(eventSchema.parse(JSON.parse(message)), message, processId);
    }
  }

  function note(
    { event, room, reason, message: outcome }: z.output<typeof eventSchema>,
    text: string,
    processId: number,
  ): void {
    counts.set(event, (counts.get(event) ?? 0) + 1);
    if (surprisingEvents.includes(event)) surprises.push(text.slice(0, 1000));
    if (room === undefined) return;
    if (event === "room-claimed") claims.set(room, (claims.get(room) ?? 0) + 1);
    if (uninteresting.includes(event)) return;
    const story = stories.get(room) ?? [];
    const words = [event, reason, outcome].filter((word) => word !== undefined);
    story.push({ at: Date.now(), processId, text: words.join(": ") });
    stories.set(room, story);
  }

  return {
    read,
    leakedSecrets,
    surprises,
    count: (event) => counts.get(event) ?? 0,
    storyOf: (room) => stories.get(room) ?? [],
    claimedTwice: () => [...claims].filter(([, count]) => count > 1).map(([room]) => room),
  };
}
