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
    const serve = async ({ pathname }: URL): Promise<Answer> => {
      const script = /^\/vmr-gateway-client\/(\w[\w-]*\.js)$/.exec(pathname)?.[1];
      const body = await readFile(script ? `${built.folder}/dist/${script}` : page, "utf8");
      return { status: 200, headers: { "content-type": script ? "text/javascript" : "text/html" }, body };
    };
    const allowed = await startLoopbackServer(async ({ url }) => serve(url));
    const other = await startLoopbackServer(async ({ url }) => serve(url));
    const gateway = await startLocalGateway({ corsOrigins: [allowed.url] });
    const fields = { service_type: "conference", tag, aliases: [{ alias: roomName }] };
    gateway.stack.platform.seedRooms({ rows: [{ name: roomName, ...fields }] });
    return {
      allowed,
      other,
      baseUrl: gateway.connection.gatewayUrl,
      contactCentre: gateway.stack.contactCentre,
      stop: async () => {
        await Promise.all([allowed.stop(), other.stop()]);
        await gateway.stop();
      },
    };
  });

  /** Opens the page as an agent with this token and returns a function that reads what it shows. */
  async function openWidget(origin: string, room: string, token: string) {
    const { page: opened, faults } = await openPage(browser, `${origin}/blank`);
    await opened.evaluate(`sessionStorage.setItem("agent-token", ${JSON.stringify(token)})`);
    const statuses: number[] = [];
    opened.on("response", (response) => {
      if (response.url().startsWith(running.baseUrl)) statuses.push(response.status());
    });
    await opened.goto(`${origin}/widget#gateway=${running.baseUrl}&room=${room}`);
    faults.length = 0;
    return { shown: async () => opened.getByRole("status").textContent(), faults, statuses };
  }

  test("shows the room to an agent", async () => {
    const { shown, faults } = await openWidget(running.allowed.url, roomName, identities.agentToken);
    await expect.poll(shown).toBe(`Join ${roomName} for ${tag}`);
    expect(faults).toEqual([]);
  });

  test.each([
    ["an agent whose login has ended", "gone-token", true, "Please log in again."],
    [
      "an agent of another division",
      identities.otherAgentToken,
      true,
      "The room cannot be opened now: NotAuthorizedError",
    ],
    ["a room that is gone", identities.agentToken, false, "The conversation has ended."],
  ])("shows the right text to %s", async (_, token, exists, text) => {
    const name = exists ? roomName : "no-such-room";
    const { shown } = await openWidget(running.allowed.url, name, token);
    await expect.poll(shown).toBe(text);
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

  test("gets no room if its origin is not in the list", async () => {
    const { shown, faults } = await openWidget(running.other.url, roomName, identities.agentToken);
    await expect.poll(() => faults.join("\n")).toContain("blocked by CORS policy");
    await expect.poll(shown).toMatch(/^GET .*is refused by CORS.*Next attempt in \d s ...$/);
  });
});
