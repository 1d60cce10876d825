/** What the callers know: every claim with its tag and its answer, and what they did with their rooms. */

export interface Session {
  /** The claim's own service tag. */
  readonly tag: string;
  readonly sentAt: number;
  answer: "handed-out" | "refused" | "lost" | "not-sent" | "waiting";
  room?: string;
  /** `ending`: an end or delete was sent and never confirmed. */
  state: "held" | "ending" | "ended" | "deleted" | "swept";
}

export interface Sweep {
  readonly from: number;
  until: number;
  /** Whether the gateway said that it was done. */
  isDone: boolean;
}

export interface Ledger {
  readonly sessions: Session[];
  /** Bulk deletes: while one runs, every room may go. */
  readonly sweeps: Sweep[];
  /** Rooms whose service tag was not that of the claim that holds them, when their session ended. */
  readonly wrongTags: string[];
  /** Rooms that were gone while somebody held them. */
  readonly vanished: string[];
}

export function createLedger(): Ledger {
  return { sessions: [], sweeps: [], wrongTags: [], vanished: [] };
}

// A bulk delete's last requests may still be on their way when it has ended.
const afterSweepMilliseconds = 5000;

/** Whether a bulk delete ran at some time since this moment. */
function wasSwept({ sweeps }: Ledger, since: number): boolean {
  return sweeps.some(({ until }) => until + afterSweepMilliseconds >= since);
}

/** Notes what is wrong with a room that a session holds, as the platform shows it. */
export function check(
  ledger: Ledger,
  session: Session,
  found: { tag?: string | null | undefined } | undefined,
): void {
  if (session.room === undefined) return;
  if (found === undefined) {
    if (wasSwept(ledger, session.sentAt)) session.state = "swept";
    else ledger.vanished.push(session.room);
  } else if (found.tag !== session.tag) {
    ledger.wrongTags.push(`${session.room}: ${found.tag ?? ""} instead of ${session.tag}`);
  }
}
