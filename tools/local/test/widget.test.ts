/** The client's example page in a real browser, on an origin other than the gateway's. */
import { readFile } from "node:fs/promises";
import { describe, expect, test, vi } from "vitest";
import { useClientPackage } from "../../../client/test/client-package.ts";
import { useStarted } from "../../../test/support/use-started.ts";
import { contactCentreUsers, identities } from "../../simulators/identities.ts";
import { type Answer, startLoopbackServer } from "../../simulators/loopback-server.ts";
import { startLocalGateway } from "../stack/local-gateway.ts";
import { openPage, startBrowser } from "./browser.ts";

vi.setConfig({ testTimeout: 90_000 });

const browser = await startBrowser();

const roomName = "a-room";
const tag = "https://verify.example.com/sessions/4711";
const page = new URL("../../../client/example/widget.html", import.meta.url);

describe.skipIf(!browser)("The widget page of another origin", () => {
  const built = useClientPackage();
  const running = useStarted(async () => {
    const serve = async ({ url }: { url: URL }): Promise<Answer> => {
      const script = /^\/vmr-gateway-client\/(\w[\w-]*\.js)$/.exec(url.pathname)?.[1];
      const body = await readFile(script ? `${built.folder}/dist/${script}` : page, "utf8");
      return { status: 200, headers: { "content-type": script ? "text/javascript" : "text/html" }, body };
    };
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
    await expect.poll(refused.shown).toMatch(/^GET .*is refused by CORS.*Next attempt in \d s ...$/);
  });

  test("obeys Retry-After, which the browser lets it read, and then shows the room", async () => {
    // The gateway remembers for a minute that it has checked a token, so this agent is a new one.
    const token = "token-of-a-new-agent";
    running.contactCentre.setUsers(contactCentreUsers.map((user) => ({ ...user, token })).slice(0, 1));
    running.contactCentre.failNext({ status: 429, retryAfterSeconds: 2 });
    const { shown, statuses } = await openWidget(running.allowed.url, roomName, token);
    await expect.poll(shown).toBe(`Join ${roomName} for ${tag}`);
    // Without the header, the client would retry after one second, when the gateway still refuses.
    expect(statuses).toEqual([503, 200]);
  });
});
