/** The example settings start the app as they are, and hold nothing that the app or the host does not know. */
import { expect, test } from "vitest";
import * as z from "zod";
import example from "../../local.settings.example.json" with { type: "json" };
import { loadSettings } from "../../src/lib/settings/load-settings.ts";
import { settingNames } from "../../src/lib/settings/schemas.ts";

const hostSettings = ["FUNCTIONS_WORKER_RUNTIME"];
const values: Record<string, string | undefined> = example.Values;

test("the example has the form that the Core Tools read", () => {
  const form = z.strictObject({
    IsEncrypted: z.literal(false),
    Values: z.record(z.string(), z.string()),
    Host: z.strictObject({ LocalHttpPort: z.literal(7071) }),
  });
  expect(form.safeParse(example).error).toBeUndefined();
  expect(values["FUNCTIONS_WORKER_RUNTIME"]).toBe("node");
});

test("the example passes the settings check", () => {
  const settings = loadSettings(values);
  expect(settings.platform.url).toBe("https://platform.example.com");
  expect(settings.pool).toMatchObject({ maxRooms: 50, minRooms: 20, readyDelaySeconds: 90 });
});

test("every name in the example is a setting of the app, or one that only the host reads", () => {
  const unknown = Object.keys(values).filter((name) => !settingNames.includes(name));
  expect(unknown).toEqual(hostSettings);
});

test("every setting that is required is in the example: without it, the check names it", () => {
  const optional = Object.keys(values).filter((name) => {
    try {
      loadSettings({ ...values, [name]: undefined });
      return true;
    } catch (error) {
      return !String(error).includes(name);
    }
  });
  expect(optional).toEqual([
    ...hostSettings,
    "ROOM_TEMPLATE",
    "POOL_MINIMUM",
    "POOL_READY_DELAY_SECONDS",
    "SERVICE_TAG_BASE_URL",
  ]);
});
