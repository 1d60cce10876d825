/** The page in docs/integration.md in a real browser, on an origin other than the gateway's. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { useStarted } from "../../../test/support/use-started.ts";
import { contactCentreUsers, identities } from "../../simulators/identities.ts";
import { type Answer, startLoopbackServer } from "../../simulators/services/loopback-server.ts";
import { startLocalGateway } from "../stack/local-gateway.ts";
import { openPage, startBrowser } from "./browser.ts";

const browser = await startBrowser();

const roomName = "a-room";
const tag = "https://verify.example.com/sessions/4711";
const guide = readFileSync(new URL("../../../docs/integration.md", import.meta.url), "utf8");
const [, body = ""] = /```html\n(.*?)```/s.exec(guide) ?? [];

describe.skipIf(!browser)("The widget page of another origin", () => {
  const running = useStarted(async () => {
    const serve = (): Answer => ({ status: 200, headers: { "content-type": "text/html" }, body });
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
    await opened.goto(`${origin}/widget#gateway=${running.baseUrl}&room=${room}`);
    return { shown: async () => opened.getByRole("status").textContent(), statuses };
  }

  test("tells an agent why there is no room, and which origin is refused", async () => {
    const { allowed, other } = running;
    const loggedOut = await openWidget(allowed.url, roomName, "gone-token");
    await expect.poll(loggedOut.shown).toBe("Please log in again.");
    const missing = await openWidget(allowed.url, "no-such-room", identities.agentToken);
    await expect.poll(missing.shown).toBe("The conversation has ended.");
    const refused = await openWidget(other.url, roomName, identities.agentToken);
    // The page cannot see why it gets no response, and waits longer than it would for a busy gateway.
    await expect.poll(refused.shown).toBe("The room cannot be opened now. Next attempt in 5 s ...");
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
