/** What the callers know: each claim with its service tag and result, and what they did with their rooms. */

export interface Session {
  /** The claim's service tag, which no other claim uses. */
  readonly tag: string;
  readonly sentAt: number;
  result: "handed-out" | "refused" | "lost" | "not-sent" | "waiting";
  room?: string;
  /** `ending`: an end or delete was sent but not confirmed. `swept`: a bulk delete deleted the room. */
  state: "held" | "ending" | "ended" | "deleted" | "swept";
}

export interface Ledger {
  readonly sessions: Session[];
  /** The end of each bulk delete, in milliseconds since 1970; infinite while it runs. */
  readonly bulkDeletes: { endedAt: number }[];
  /** Rooms whose tag was not that of the claim that held them. */
  readonly wrongTags: string[];
  /** Idempotency keys that gave two rooms. */
  readonly differentRooms: string[];
  /** Rooms that were deleted while a caller held them. */
  readonly vanished: string[];
}

export function createLedger(): Ledger {
  return { sessions: [], bulkDeletes: [], wrongTags: [], differentRooms: [], vanished: [] };
}

// The last requests of a bulk delete may still be under way when it has ended.
const bulkDeleteAftereffectMilliseconds = 5000;

/** Compares a held room with the platform's view of it and records differences. */
export function checkHeldRoom(
  ledger: Ledger,
  session: Session,
  found: { readonly tag?: string | null | undefined } | undefined,
): void {
  if (session.room === undefined) return;
  if (found === undefined) {
    const isSwept = ledger.bulkDeletes.some(
      ({ endedAt }) => endedAt + bulkDeleteAftereffectMilliseconds >= session.sentAt,
    );
    if (isSwept) session.state = "swept";
    else ledger.vanished.push(session.room);
  } else if (found.tag !== session.tag) {
    ledger.wrongTags.push(`${session.room}: ${found.tag ?? ""} instead of ${session.tag}`);
  }
}
