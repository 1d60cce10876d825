/** A running conference and its participants. */

export interface LiveParticipant {
  readonly uuid: string;
  readonly display_name: string;
  readonly role: "chair" | "guest";
  readonly node: string;
  readonly connectedAt: number;
}

export interface LiveConference {
  readonly id: string;
  readonly name: string;
  readonly service_type: string;
  readonly tag: string;
  readonly startedAt: number;
  /** When the conference started as seen by each node, in milliseconds since 1970. */
  readonly startedAtByNode: Map<string, number>;
  participants: readonly LiveParticipant[];
}
