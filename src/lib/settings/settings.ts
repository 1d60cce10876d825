/** Environment → Settings: every name, its form, and the rules between them; all faults are reported at once. */
import * as z from "zod";
import { relationFaults } from "./rules.ts";
import * as value from "./values.ts";

const text = z.string();

/** Every setting of the app, by its name in the environment. A setting without `optional` or a default is required. */
const schemas = {
  AzureWebJobsStorage: value.connectionString.optional(),
  AzureWebJobsStorage__accountName: text.regex(/^[a-z0-9]{3,24}$/, "must be an account name").optional(),
  AzureWebJobsStorage__queueServiceUri: value.address.optional(),
  AzureWebJobsStorage__blobServiceUri: value.address.optional(),
  AzureWebJobsStorage__credential: z.literal("managedidentity", "must be managedidentity").optional(),
  AzureWebJobsStorage__clientId: text.optional(),
  PLATFORM_URL: value.origin,
  PLATFORM_USERNAME: value.username.optional(),
  PLATFORM_PASSWORD: text.optional(),
  PLATFORM_OAUTH_CLIENT_ID: text.optional(),
  PLATFORM_OAUTH_PRIVATE_KEY: value.privateKey.optional(),
  PLATFORM_OAUTH_SCOPE: text.optional(),
  PLATFORM_TIMEOUT_SECONDS: value.wholeNumber(1, 60).prefault("10"),
  PLATFORM_MAX_CONCURRENCY: value.wholeNumber(1, 100).prefault("5"),
  ROOM_HOST_PIN: value.hostPin,
  ROOM_TEMPLATE: value.roomTemplate.prefault("{}"),
  MAX_VMR: value.wholeNumber(1, 10_000),
  POOL_LEASE_SECONDS: value.wholeNumber(1, 3600).prefault("300"),
  POOL_MINIMUM: value.wholeNumber(0, 10_000).optional(),
  POOL_READY_DELAY_SECONDS: value.wholeNumber(0, 3600).prefault("0"),
  SERVICE_TAG_BASE_URL: value.serviceTagBase.optional(),
  GC_MAX_MESSAGES: value.wholeNumber(1, 1000).prefault("20"),
  GC_MINIMUM_AGE_SECONDS: value.wholeNumber(0, 604_800).prefault("600"),
  AUTH_TENANT_ID: value.tenantId,
  AUTH_AUDIENCES: value.list,
  AUTH_CLIENT_IDS: value.list,
  AUTH_REQUIRED_ROLE: text.optional(),
  AUTH_AUTHORITY: value.address.prefault("https://login.microsoftonline.com"),
  CONTACT_CENTRE_API_URL: value.contactCentreAddress,
  CONTACT_CENTRE_DIVISION_IDS: value.list,
  EVENT_SINK_USERNAME: value.username,
  EVENT_SINK_PASSWORD: text,
  EVENT_SINK_PREVIOUS_USERNAME: value.username.optional(),
  EVENT_SINK_PREVIOUS_PASSWORD: text.optional(),
  LOGS_INGESTION_ENDPOINT: value.address.optional(),
  LOGS_INGESTION_RULE_ID: text.optional(),
  LOGS_INGESTION_STREAM: text.optional(),
};

/** The names of all settings, in the order of the table above. */
export const settingNames: readonly string[] = Object.keys(schemas);

/** The checked settings, or one error that lists every fault by name and shows no value. Empty counts as absent. */
export function loadSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(
    settingNames.flatMap((name) => {
      const text = environment[name];
      // A password may begin or end with a space; elsewhere that is a slip.
      return text?.trim() ? [[name, name.endsWith("_PASSWORD") ? text : text.trim()]] : [];
    }),
  );
  const result = z.object(schemas).safeParse(given);
  const faults = [
    ...Object.entries(given)
      .filter(([, text]) => text.startsWith("@Microsoft.KeyVault("))
      .map(([name]) => `${name}: the Key Vault reference was not resolved`),
    ...(result.error?.issues ?? []).map(
      ({ path: [name], message }) => `${String(name)}: ${String(name) in given ? message : "is required"}`,
    ),
    ...relationFaults(given),
  ];
  if (result.success && faults.length === 0) return toSettings(result.data);
  throw new Error(`These settings are wrong:\n${faults.map((fault) => `- ${fault}`).join("\n")}`);
}

export type Settings = ReturnType<typeof toSettings>;

type Values = z.output<z.ZodObject<typeof schemas>>;

function toSettings(values: Values) {
  return {
    storage: toStorage(values),
    platform: {
      url: values.PLATFORM_URL,
      timeoutSeconds: values.PLATFORM_TIMEOUT_SECONDS,
      maxConcurrency: values.PLATFORM_MAX_CONCURRENCY,
      logIn: toPlatformLogIn(values),
    },
    rooms: { hostPin: values.ROOM_HOST_PIN, template: values.ROOM_TEMPLATE },
    pool: {
      maxRooms: values.MAX_VMR,
      minRooms: values.POOL_MINIMUM,
      leaseSeconds: values.POOL_LEASE_SECONDS,
      readyDelaySeconds: values.POOL_READY_DELAY_SECONDS,
    },
    serviceTagBaseUrl: values.SERVICE_TAG_BASE_URL,
    garbage: { maxMessages: values.GC_MAX_MESSAGES, minAgeSeconds: values.GC_MINIMUM_AGE_SECONDS },
    bearer: {
      authority: values.AUTH_AUTHORITY,
      tenantId: values.AUTH_TENANT_ID,
      audiences: values.AUTH_AUDIENCES,
      clientIds: values.AUTH_CLIENT_IDS,
      requiredRole: values.AUTH_REQUIRED_ROLE,
    },
    contactCentre: { url: values.CONTACT_CENTRE_API_URL, divisionIds: values.CONTACT_CENTRE_DIVISION_IDS },
    eventSink: toEventSinkCredentials(values),
    logsIngestion: toLogsIngestion(values),
  };
}

function toStorage(values: Values) {
  if (values.AzureWebJobsStorage) return { connectionString: values.AzureWebJobsStorage };
  const account = values.AzureWebJobsStorage__accountName;
  return {
    queueServiceUrl:
      values.AzureWebJobsStorage__queueServiceUri ?? `https://${account}.queue.core.windows.net`,
    usesManagedIdentity: values.AzureWebJobsStorage__credential !== undefined,
    identityClientId: values.AzureWebJobsStorage__clientId,
  };
}

function toPlatformLogIn(
  values: Values,
):
  | { clientId: string; privateKey: string; scope: string | undefined }
  | { username: string; password: string } {
  const { PLATFORM_OAUTH_CLIENT_ID: clientId, PLATFORM_OAUTH_PRIVATE_KEY: privateKey } = values;
  if (clientId !== undefined && privateKey !== undefined) {
    return { clientId, privateKey, scope: values.PLATFORM_OAUTH_SCOPE };
  }
  return { username: values.PLATFORM_USERNAME ?? "", password: values.PLATFORM_PASSWORD ?? "" };
}

function toEventSinkCredentials(values: Values) {
  const { EVENT_SINK_PREVIOUS_USERNAME: username, EVENT_SINK_PREVIOUS_PASSWORD: password } = values;
  const current = { username: values.EVENT_SINK_USERNAME, password: values.EVENT_SINK_PASSWORD };
  return username === undefined || password === undefined ? [current] : [current, { username, password }];
}

function toLogsIngestion(values: Values) {
  const { LOGS_INGESTION_ENDPOINT: endpoint, LOGS_INGESTION_RULE_ID: ruleId } = values;
  const stream = values.LOGS_INGESTION_STREAM;
  return endpoint && ruleId && stream ? { endpoint, ruleId, stream } : undefined;
}
