/** The example settings are valid and contain only settings that the app or the host reads. */
import { expect, test } from "vitest";
import example from "../../local.settings.example.json" with { type: "json" };
import { loadSettings, settingNames } from "../../src/lib/settings/settings.ts";

const hostSettings = ["FUNCTIONS_WORKER_RUNTIME"];
const values: Record<string, string | undefined> = example.Values;

test("The example is valid", () => {
  const settings = loadSettings(values);
  expect(settings.platform.url).toBe("https://platform.example.com");
  expect(settings.pool).toMatchObject({ maxRooms: 50, minRooms: 20, readyDelaySeconds: 90 });
});

test("Every name in the example is a setting of the app or of the host", () => {
  const unknown = Object.keys(values).filter((name) => !settingNames.includes(name));
  expect(unknown).toEqual(hostSettings);
});

test("Every required setting is in the example, and the app names it if it is missing", () => {
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
    "GATEWAY_NAME",
    "ROOM_TEMPLATE",
    "POOL_MINIMUM",
    "POOL_READY_DELAY_SECONDS",
    "SERVICE_TAG_BASE_URL",
  ]);
});
