/** The platform's rooms as its conferencing nodes know them, which learn of each change later. */

interface NamedRoom {
  readonly id: number;
  readonly name: string;
}

/** A room as it was stored, or undefined for its deletion. */
interface Version<Room> {
  readonly storedAt: number;
  readonly room: Room | undefined;
}

/** Creates the view. `delaySeconds` returns how long after a change the nodes learn of it. */
export function createNodeView<Room extends NamedRoom>(now: () => number, delaySeconds: () => number) {
  const versionsById = new Map<number, readonly Version<Room>[]>();
  const isKnown = ({ storedAt }: Version<Room>): boolean => storedAt + delaySeconds() * 1000 <= now();
  return {
    /** Records that a room was stored or deleted, and forgets the versions that the nodes use no longer. */
    record: (id: number, room: Room | undefined): void => {
      const versions = [...(versionsById.get(id) ?? []), { storedAt: now(), room }];
      versionsById.set(id, versions.slice(Math.max(0, versions.findLastIndex(isKnown))));
    },
    /** Makes a room known at once, as if it had been stored long ago. */
    learn: (room: Room): void => {
      versionsById.set(room.id, [{ storedAt: -Infinity, room }]);
    },
    findByName: (name: string): Room | undefined =>
      [...versionsById.values()]
        .map((versions) => versions.findLast(isKnown)?.room)
        .find((room) => room?.name === name),
    clear: () => versionsById.clear(),
  };
}
