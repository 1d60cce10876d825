/** The app's log as the operator's commands read it. */
import { loggableName } from "../../../src/lib/ownership/room.ts";

/** One line that the app logged: when, and its fields. */
export interface LogLine {
  readonly time: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Which lines to read. Missing conditions are ignored. */
export interface LogFilter {
  readonly hours: number;
  /** Lines about the room of this name, which contain it or its hash. */
  readonly room?: string;
  readonly events?: readonly string[];
  readonly functions?: readonly string[];
}

/** Returns how lines name a room. */
export function loggedNames(room: string): readonly string[] {
  return [room, loggableName(room)];
}

/** The functions that hand out rooms. */
export const createFunctions = ["createRoom", "createRoomFromQueue"];
/** The function that agents call. */
export const agentFunction = "getPublicRoom";
const roomFunctions = ["getRoom", "listRooms", "updateRoom", "deleteRoom"];
const bulkFunctions = ["bulkCreateRooms", "bulkDeleteRooms"];
/** All functions that consumers and agents call. */
export const callFunctions = [...createFunctions, agentFunction, ...roomFunctions, ...bulkFunctions];

/** Reads the log. Every method throws UnreachableError if the log cannot be read, or not completely. */
export interface LogReader {
  /** What Azure has remarked on complete results until now. */
  readonly warnings: ReadonlySet<string>;
  /** Returns the lines, the oldest first; of more than 10,000, the latest. */
  readonly lines: (filter: LogFilter) => Promise<readonly LogLine[]>;
  /**
   * Returns the creates of the last hour that API Management itself refused or failed, in the form of the app's lines,
   * or undefined if its log is not here.
   */
  readonly answeredByApiManagement: () => Promise<readonly LogLine[] | undefined>;
  /** Returns why the app did not load in the last hour, or undefined if the log does not say so. */
  readonly loadFailure: () => Promise<string | undefined>;
  /** Returns the newest metrics row of the last day, or undefined if there is none. */
  readonly newestMetrics: () => Promise<Readonly<Record<string, unknown>> | undefined>;
}

export const maxLines = 10_000;
