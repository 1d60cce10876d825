/** GET /public/health. */
import { expect, test } from "vitest";
import { usePoolWorld } from "../support/pool-world.ts";

const world = usePoolWorld();

test("Returns 200 with the status, the current time and the build, and nothing else", async () => {
  const timestamp = new Date(world.clock.now()).toISOString();
  const response = await world.call("healthCheck");
  expect(response.json).toEqual({ status: "alive", timestamp });
  expect(response).toMatchObject({
    status: 200,
    headers: { "x-build": expect.stringMatching(/^[0-9a-f]{12}$/) },
  });
});
