/** The settings as the code uses them, grouped by concern. */
import { isLoopback } from "./addresses.ts";
import type { SettingValues } from "./schemas.ts";

/** The checked settings of the app. */
export type Settings = ReturnType<typeof toSettings>;

/** Returns the settings by concern. */
export function toSettings(values: SettingValues) {
  return {
    storage: toStorage(values),
    platform: {
      url: values.PLATFORM_URL,
      timeoutSeconds: values.PLATFORM_TIMEOUT_SECONDS,
      maxConcurrency: values.PLATFORM_MAX_CONCURRENCY,
      logIn: toPlatformLogIn(values),
    },
    rooms: {
      hostPin: values.ROOM_HOST_PIN,
      template: values.ROOM_TEMPLATE,
      maxAgeHours: values.ROOM_MAXIMUM_AGE_HOURS,
    },
    pool: {
      maxRooms: values.MAX_VMR,
      minRooms: values.POOL_MINIMUM,
      leaseSeconds: values.POOL_LEASE_SECONDS,
      readyDelaySeconds: values.POOL_READY_DELAY_SECONDS,
    },
    serviceTagBaseUrl: values.SERVICE_TAG_BASE_URL,
    garbage: {
      maxMessages: values.GC_MAX_MESSAGES,
      minAgeSeconds: values.GC_MINIMUM_AGE_SECONDS,
      unmarkedRooms: values.UNMARKED_ROOMS,
    },
    bearer: {
      authority: values.AUTH_AUTHORITY,
      tenantId: values.AUTH_TENANT_ID,
      audiences: values.AUTH_AUDIENCES,
      clientIds: values.AUTH_CLIENT_IDS,
      requiredRole: values.AUTH_REQUIRED_ROLE,
      // Only a token issuer on this machine shows that the environment is a local one.
      explainsRefusals: isLoopback(values.AUTH_AUTHORITY),
    },
    apiManagementSecret: values.API_MANAGEMENT_SECRET,
    contactCentre: { url: values.CONTACT_CENTRE_API_URL, divisionIds: values.CONTACT_CENTRE_DIVISION_IDS },
    eventSink: toEventSinkCredentials(values),
    logsIngestion: toLogsIngestion(values),
  };
}

function toStorage(values: SettingValues) {
  if (values.AzureWebJobsStorage) return { connectionString: values.AzureWebJobsStorage };
  const account = values.AzureWebJobsStorage__accountName;
  const queueServiceUrl =
    values.AzureWebJobsStorage__queueServiceUri ?? `https://${account}.queue.core.windows.net`;
  return {
    queueServiceUrl,
    // The two services of an account differ in one label of their host names.
    blobServiceUrl:
      values.AzureWebJobsStorage__blobServiceUri ?? queueServiceUrl.replace(".queue.", ".blob."),
    usesManagedIdentity: values.AzureWebJobsStorage__credential !== undefined,
    identityClientId: values.AzureWebJobsStorage__clientId,
  };
}

type PlatformLogInSettings =
  | { clientId: string; privateKey: string; scope: string | undefined }
  | { username: string; password: string };

function toPlatformLogIn(values: SettingValues): PlatformLogInSettings {
  const { PLATFORM_OAUTH_CLIENT_ID: clientId, PLATFORM_OAUTH_PRIVATE_KEY: privateKey } = values;
  if (clientId !== undefined && privateKey !== undefined)
    return { clientId, privateKey, scope: values.PLATFORM_OAUTH_SCOPE };
  return { username: values.PLATFORM_USERNAME ?? "", password: values.PLATFORM_PASSWORD ?? "" };
}

function toEventSinkCredentials(values: SettingValues) {
  const { EVENT_SINK_PREVIOUS_USERNAME: username, EVENT_SINK_PREVIOUS_PASSWORD: password } = values;
  const current = { username: values.EVENT_SINK_USERNAME, password: values.EVENT_SINK_PASSWORD };
  return username === undefined || password === undefined ? [current] : [current, { username, password }];
}

function toLogsIngestion(values: SettingValues) {
  const { LOGS_INGESTION_ENDPOINT: endpoint, LOGS_INGESTION_RULE_ID: ruleId } = values;
  const stream = values.LOGS_INGESTION_STREAM;
  return endpoint && ruleId && stream ? { endpoint, ruleId, stream } : undefined;
}
