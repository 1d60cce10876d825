/** Builds the path of a room. */

// These paths belong to other operations: deleting a room named "bulk" would delete all rooms.
const notRooms = /^(?:|\.{1,2}|(?:bulk|list)\/*)$/i;

/** Returns the path of a room below the prefix. Throws a TypeError if the text cannot be a room name. */
export function roomPath(prefix: "/room" | "/public/room", name: string): string {
  if (typeof name !== "string" || notRooms.test(name))
    throw new TypeError(`${JSON.stringify(name)} is not a room name`);
  return `${prefix}/${encodeURIComponent(name)}`;
}
