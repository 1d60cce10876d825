/** HTTP Basic log-in to the platform. */
import { expect, test } from "vitest";
import { createBasicLogIn } from "../../../src/lib/platform/log-in.ts";

test("createBasicLogIn encodes user name and password as UTF-8 (RFC 7617) and is not renewable", async () => {
  const logIn = createBasicLogIn("café", "pässword:1");
  const authorization = await logIn.authorization();
  expect(authorization).toBe("Basic Y2Fmw6k6cMOkc3N3b3JkOjE=");
  expect(logIn.invalidate(authorization)).toBe(false);
});
