/** Reads gateway settings from the environment of `npm start`. */
import { settingNames } from "../../../src/lib/settings/settings.ts";

// The app finds the simulators and authenticates with these, and the demonstration relies on them.
const ownedByStack =
  /^(?:AzureWebJobsStorage|PLATFORM_(?:URL|USERNAME|PASSWORD|OAUTH)|AUTH_|CONTACT_CENTRE_|EVENT_SINK_|LOGS_INGESTION_|API_MANAGEMENT_SECRET$|ROOM_HOST_PIN$|SERVICE_TAG_BASE_URL$)/;

export interface EnvironmentSettings {
  /** Settings that override those of the stack. */
  readonly used: Readonly<Record<string, string>>;
  /** Names of settings that are ignored because their values come from the stack. */
  readonly ignored: readonly string[];
}

/** Returns which settings of the environment the local gateway uses. */
export function environmentSettings(
  environment: Readonly<Record<string, string | undefined>>,
): EnvironmentSettings {
  const given = settingNames.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    used: Object.fromEntries(given.filter(([name]) => !ownedByStack.test(name))),
    ignored: given.map(([name]) => name).filter((name) => ownedByStack.test(name)),
  };
}
