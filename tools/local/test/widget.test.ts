/** The page docs/widget.html in a real browser, on an origin other than the gateway's. */
import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { useStarted } from "../../../test/support/use-started.ts";
import { contactCentreUsers, identities } from "../../simulators/identities.ts";
import {
  type Answer,
  type LoopbackRequest,
  type Reply,
  startLoopbackServer,
} from "../../simulators/services/loopback-server.ts";
import { startLocalGateway } from "../stack/local-gateway.ts";
import { accessibilityFaults, openPage, startBrowser } from "./browser.ts";

const browser = await startBrowser();

const roomName = "a-room";
const tag = "https://verify.example.com/sessions/4711";
const read = (file: string) => readFileSync(new URL(`../../../docs/${file}`, import.meta.url), "utf8");
const html = read("widget.html");
const script = read("widget.js");

/** Serves the page under a policy that allows no inline script, and without storage under the path /sandboxed. */
function serve({ url }: LoopbackRequest): Answer {
  if (url.pathname === "/widget.js")
    return { status: 200, headers: { "content-type": "text/javascript" }, body: script };
  const sandbox = url.pathname === "/sandboxed" ? "; sandbox allow-scripts" : "";
  const policy = `default-src 'none'; script-src 'self'; connect-src *${sandbox}`;
  return {
    status: 200,
    headers: { "content-type": "text/html", "content-security-policy": policy },
    body: html,
  };
}

describe.skipIf(!browser)("The widget page of another origin", () => {
  const running = useStarted(async () => {
    const [allowed, other] = [await startLoopbackServer(serve), await startLoopbackServer(serve)];
    const { connection, stack, stop } = await startLocalGateway({ corsOrigins: [allowed.url] });
    const fields = { service_type: "conference", tag, aliases: [{ alias: roomName }] };
    stack.platform.seedRooms({ rows: [{ name: roomName, ...fields }] });
    return {
      allowed,
      other,
      baseUrl: connection.gatewayUrl,
      contactCentre: stack.contactCentre,
      stop: async () => void (await Promise.all([allowed.stop(), other.stop(), stop()])),
    };
  });

  /** Opens the page as an agent with this token and returns a function that reads what it shows. */
  async function openWidget(origin: string, room: string, token: string) {
    const { page: opened } = await openPage(browser, `${origin}/blank`);
    await opened.evaluate(`sessionStorage.setItem("agent-token", ${JSON.stringify(token)})`);
    const statuses: number[] = [];
    opened.on("response", (response) => {
      if (response.url().startsWith(running.baseUrl)) statuses.push(response.status());
    });
    await opened.goto(`${origin}/widget#${running.baseUrl}/public/room/${room}`);
    return { page: opened, shown: async () => opened.getByRole("status").textContent(), statuses };
  }

  test("tells an agent why there is no room, and which origin is refused", async () => {
    const { allowed, other } = running;
    const loggedOut = await openWidget(allowed.url, roomName, "gone-token");
    await expect.poll(loggedOut.shown).toBe("Please log in again.");
    expect(await accessibilityFaults(loggedOut.page, ["wcag2a", "wcag2aa"])).toEqual([]);
    const missing = await openWidget(allowed.url, "no-such-room", identities.agentToken);
    await expect.poll(missing.shown).toBe("The conversation has ended.");
    const refused = await openWidget(other.url, roomName, identities.agentToken);
    // The page cannot see why it gets no response, and waits longer than it would for a busy gateway.
    await expect.poll(refused.shown).toBe("The room cannot be opened now. Next attempt in 5 s ...");
  });

  const retry = "The room cannot be opened now. Next attempt in 5 s ...";
  test.each<{ what: string; reply: Reply; path?: string; text: string }>([
    {
      what: "a room without aliases",
      reply: { status: 200, body: { name: "a", tag: "b" } },
      text: "Join a for b",
    },
    { what: "a body that is cut off", reply: { status: 200, body: '{"name":"a"' }, text: retry },
    { what: "JSON without a room", reply: { status: 200, body: [] }, text: retry },
    { what: "a 404 of another server", reply: { status: 404 }, text: retry },
    {
      what: "a page without storage",
      reply: { status: 200, body: { name: "a" } },
      path: "sandboxed",
      text: "Opening the room, which needs scripts and session storage ...",
    },
  ])("says what it does about $what", async ({ reply, path = "widget", text }) => {
    const headers = { "access-control-allow-origin": "*", "access-control-allow-headers": "*" };
    const server = await startLoopbackServer(({ method }) =>
      method === "OPTIONS" ? { status: 204, headers } : { ...reply, headers },
    );
    onTestFinished(server.stop);
    const { page } = await openPage(browser, `${running.allowed.url}/${path}#${server.url}`);
    await expect.poll(async () => page.getByRole("status").textContent()).toBe(text);
  });

  test("obeys Retry-After, which the browser lets it read, and then shows the room", async () => {
    // The gateway remembers for a minute that it has checked a token, so this agent is a new one.
    const token = "token-of-a-new-agent";
    running.contactCentre.setUsers(contactCentreUsers.map((user) => ({ ...user, token })).slice(0, 1));
    running.contactCentre.failNext({ status: 429, retryAfterSeconds: 3 });
    const { shown, statuses } = await openWidget(running.allowed.url, roomName, token);
    // Without the header, the page would wait for 5 s.
    await expect.poll(shown).toBe("The room cannot be opened now. Next attempt in 3 s ...");
    await expect.poll(shown).toBe(`Join ${roomName} for ${tag}`);
    expect(statuses).toEqual([503, 200]);
  });
});
