/** Ends a connection as a broken network does. */
import type { Socket } from "node:net";

/** Sends a reset, if the socket has not begun to close by itself: Node would never end one that has. */
export function resetSocket(socket: Socket): void {
  if (socket.destroyed) return;
  if (socket.connecting || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
