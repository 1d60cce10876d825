/** The aliases of all rooms: unique across the platform and indexed by room. */
import { type Clock, naiveTimestamp } from "./clock.ts";
import { resourceUri } from "./resource-uri.ts";

interface Alias {
  readonly id: number;
  readonly alias: string;
  readonly description: string;
  readonly creation_time: string;
}

export type Aliases = ReturnType<typeof createAliases>;

export function createAliases(clock: Clock) {
  const taken = new Set<string>();
  const byConference = new Map<number, Alias[]>();
  let lastId = 0;
  const of = (conferenceId: number): Alias[] => byConference.get(conferenceId) ?? [];

  return {
    /** Aliases are case-insensitive. */
    isTaken: (alias: string) => taken.has(alias.toLowerCase()),
    /** The aliases of a conference as the platform embeds them: without `resource_uri`. */
    ofConference: (conferenceId: number): object[] => {
      const conference = resourceUri("conference", conferenceId);
      return of(conferenceId).map((alias) => ({ ...alias, conference }));
    },
    add: (conferenceId: number, alias: string, description: string) => {
      lastId += 1;
      const row = { id: lastId, alias, description, creation_time: naiveTimestamp(clock.now()) };
      byConference.set(conferenceId, [...of(conferenceId), row]);
      taken.add(alias.toLowerCase());
    },
    removeOfConference: (conferenceId: number) => {
      for (const { alias } of of(conferenceId)) taken.delete(alias.toLowerCase());
      byConference.delete(conferenceId);
    },
    clear: () => {
      taken.clear();
      byConference.clear();
    },
  };
}
