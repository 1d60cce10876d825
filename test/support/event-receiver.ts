/** A small event sink for tests: it keeps what nodes post and answers as it is told. */
import {
  type LoopbackRequest,
  type Reply,
  startLoopbackServer,
} from "../../local/simulators/loopback-server.ts";

interface ReceivedEvent {
  node: string;
  seq: number;
  time: number;
  event: string;
  data: unknown;
}

export interface EventReceiver {
  url: string;
  /** Bodies in the order in which they came, failed attempts included. */
  received: ReceivedEvent[];
  authorizations: (string | undefined)[];
  /** Decides each answer; 204 by default. */
  answer: (event: ReceivedEvent) => Reply | Promise<Reply> | "silence";
  stop: () => Promise<void>;
}

export async function startEventReceiver(): Promise<EventReceiver> {
  const server = await startLoopbackServer(async (request: LoopbackRequest) => {
    // Where a redirected post would end up, if it were followed.
    if (request.method === "GET") return { status: 204 };
    const event: ReceivedEvent = JSON.parse(request.body.toString("utf8"));
    receiver.received.push(event);
    receiver.authorizations.push(request.headers.authorization);
    return receiver.answer(event);
  });
  const receiver: EventReceiver = {
    url: `${server.url}/public/event_sink`,
    received: [],
    authorizations: [],
    answer: () => ({ status: 204 }),
    stop: server.stop,
  };
  return receiver;
}
