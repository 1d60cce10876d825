/** The settings of the app: one row each, loaded and validated together. */
import type { X509Certificate } from "node:crypto";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import * as z from "zod";
import * as format from "./formats.ts";
import { faultsBetweenSettings } from "./rules.ts";

type Read = <Value>(name: string, schema: z.ZodType<Value>) => Value;

/**
 * Reads every setting by its name in the environment. A row has the setting's place, name, format and default. A
 * setting with neither `optional` nor a default is required.
 */
function readSettings(read: Read) {
  return {
    storage: {
      connectionString: read("AzureWebJobsStorage", format.connectionString.optional()),
      accountName: read("AzureWebJobsStorage__accountName", format.accountName.optional()),
      queueServiceUrl: read("AzureWebJobsStorage__queueServiceUri", format.absoluteUrl.optional()),
      blobServiceUrl: read("AzureWebJobsStorage__blobServiceUri", format.absoluteUrl.optional()),
      credential: read("AzureWebJobsStorage__credential", format.managedIdentity.optional()),
      identityClientId: read("AzureWebJobsStorage__clientId", z.string().optional()),
    },
    platform: {
      url: read("PLATFORM_URL", format.origin),
      authorities: read("PLATFORM_CA", format.certificates.optional()),
      username: read("PLATFORM_USERNAME", format.username.optional()),
      password: read("PLATFORM_PASSWORD", z.string().optional()),
      clientId: read("PLATFORM_OAUTH_CLIENT_ID", z.string().optional()),
      privateKey: read("PLATFORM_OAUTH_PRIVATE_KEY", format.privateKey.optional()),
      scope: read("PLATFORM_OAUTH_SCOPE", z.string().optional()),
      timeoutSeconds: read("PLATFORM_TIMEOUT_SECONDS", format.wholeNumber(1, 20).prefault("10")),
      maxConcurrency: read("PLATFORM_MAX_CONCURRENCY", format.wholeNumber(3, 100).prefault("5")),
    },
    rooms: {
      hostPin: read("ROOM_HOST_PIN", format.hostPin),
      template: read("ROOM_TEMPLATE", format.roomTemplate.prefault("{}")),
      gatewayName: read("GATEWAY_NAME", format.gatewayName.prefault("vmr-gateway")),
      maxAgeHours: read("ROOM_MAXIMUM_AGE_HOURS", format.wholeNumber(1, 8760).optional()),
    },
    pool: {
      maxLevel: read("MAX_VMR", format.wholeNumber(0, 10_000)),
      leaseSeconds: read("POOL_LEASE_SECONDS", format.wholeNumber(1, 3600).prefault("300")),
      minLevel: read("POOL_MINIMUM", format.wholeNumber(0, 10_000).optional()),
      readyDelaySeconds: read("POOL_READY_DELAY_SECONDS", format.wholeNumber(0, 3600).prefault("0")),
    },
    serviceTagBaseUrl: read("SERVICE_TAG_BASE_URL", format.serviceTagBase.optional()),
    garbage: {
      unmarkedRooms: read("UNMARKED_ROOMS", format.unmarkedRooms.prefault("collect")),
      maxMessages: read("GC_MAX_MESSAGES", format.wholeNumber(1, 10_000).prefault("20")),
      minAgeSeconds: read("GC_MINIMUM_AGE_SECONDS", format.wholeNumber(0, 604_800).prefault("600")),
    },
    bearer: {
      tenantId: read("AUTH_TENANT_ID", format.tenantId),
      audiences: read("AUTH_AUDIENCES", format.list),
      clientIds: read("AUTH_CLIENT_IDS", format.list),
      requiredRole: read("AUTH_REQUIRED_ROLE", z.string().optional()),
      administratorRole: read("AUTH_ADMINISTRATOR_ROLE", z.string().optional()),
      authority: read("AUTH_AUTHORITY", format.absoluteUrl.prefault("https://login.microsoftonline.com")),
    },
    contactCentre: {
      url: read("CONTACT_CENTRE_API_URL", format.origin),
      divisionIds: read("CONTACT_CENTRE_DIVISION_IDS", format.list),
    },
    eventSink: {
      username: read("EVENT_SINK_USERNAME", format.username),
      password: read("EVENT_SINK_PASSWORD", z.string()),
      previousUsername: read("EVENT_SINK_PREVIOUS_USERNAME", format.username.optional()),
      previousPassword: read("EVENT_SINK_PREVIOUS_PASSWORD", z.string().optional()),
    },
    logsIngestion: {
      endpoint: read("LOGS_INGESTION_ENDPOINT", format.absoluteUrl.optional()),
      ruleId: read("LOGS_INGESTION_RULE_ID", z.string().optional()),
      stream: read("LOGS_INGESTION_STREAM", z.string().optional()),
    },
  };
}
type Values = ReturnType<typeof readSettings>;

/** The checked settings of the app, grouped by concern. */
export type Settings = ReturnType<typeof loadSettings>;

function toSettings(values: Values) {
  const { url, timeoutSeconds, maxConcurrency, authorities } = values.platform;
  const logIn = toPlatformLogIn(values.platform);
  const secureContext = authorities && toSecureContext(authorities);
  return {
    ...values,
    storage: toStorage(values.storage),
    platform: { url, timeoutSeconds, maxConcurrency, authorities, secureContext, logIn },
    eventSink: toEventSinkCredentials(values.eventSink),
    logsIngestion: toLogsIngestion(values.logsIngestion),
  };
}

function toStorage(storage: Values["storage"]) {
  const { connectionString, accountName, credential, identityClientId } = storage;
  if (connectionString !== undefined) return { connectionString };
  const queueServiceUrl = storage.queueServiceUrl ?? `https://${accountName}.queue.core.windows.net`;
  // The two services of an account differ in one label of their host names.
  const blobServiceUrl = storage.blobServiceUrl ?? queueServiceUrl.replace(".queue.", ".blob.");
  return { queueServiceUrl, blobServiceUrl, usesManagedIdentity: credential !== undefined, identityClientId };
}

/** Trusts these authorities beside the public ones, also those that another one has signed. */
function toSecureContext(authorities: readonly X509Certificate[]): SecureContext {
  const ca = [...getCACertificates("default"), ...authorities.map((certificate) => certificate.toString())];
  return createSecureContext({ ca, allowPartialTrustChain: true });
}

function toPlatformLogIn({ clientId, privateKey, scope, ...basic }: Values["platform"]) {
  if (clientId !== undefined && privateKey !== undefined) return { clientId, privateKey, scope };
  return { username: basic.username ?? "", password: basic.password ?? "" };
}

function toEventSinkCredentials({ username, password, ...previous }: Values["eventSink"]) {
  const { previousUsername, previousPassword } = previous;
  const current = { username, password };
  if (previousUsername === undefined || previousPassword === undefined) return [current];
  return [current, { username: previousUsername, password: previousPassword }];
}

function toLogsIngestion({ endpoint, ruleId, stream }: Values["logsIngestion"]) {
  return endpoint && ruleId && stream ? { endpoint, ruleId, stream } : undefined;
}

const collected = new Map<string, z.ZodType>();
readSettings((name, schema) => {
  collected.set(name, schema);
  return z.NEVER;
});

/** The format of every setting by its name, in the order of the rows. */
export const schemas: ReadonlyMap<string, z.ZodType> = collected;

/** The names of all settings, in the order of the rows. */
export const settingNames: readonly string[] = [...schemas.keys()];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the checked settings. An empty value counts as missing. Throws one Error that lists every fault by the
 * setting's name and contains no values. `unknownNames` has the names in a deployment's `GATEWAY_SETTINGS` that this
 * version does not know, such as those of a newer one before a release.
 */
export function loadSettings(environment: Environment) {
  const given = givenSettings(environment);
  const faults: string[] = [];
  const values = readSettings((name, schema) => {
    const result = schema.safeParse(given[name]);
    if (result.success) return result.data;
    faults.push(
      ...result.error.issues.map(({ message }) => `${name}: ${name in given ? message : "is required"}`),
    );
    // Replaced by the error below.
    return z.NEVER;
  });
  faults.push(...faultsBetweenSettings(given));
  if (faults.length === 0) return { ...toSettings(values), unknownNames: unknownNames(environment) };
  // On one line, because whoever shows an error shows its first line.
  throw new Error(`Invalid settings: ${faults.join("; ")}`);
}

/** Returns the settings that are not empty, by name. */
function givenSettings(environment: Environment): Readonly<Record<string, string>> {
  const texts = settingNames.map((name) => [name, environment[name] ?? ""] as const);
  const given = texts.filter(([, text]) => text.trim() !== "");
  // Passwords keep surrounding spaces; other values are trimmed.
  return Object.fromEntries(
    given.map(([name, text]) => [name, name.endsWith("_PASSWORD") ? text : text.trim()]),
  );
}

/** Returns whether a setting is the host's. A deployment may set it beside the app's. */
export function isHostSetting(name: string): boolean {
  return /^(?:AzureWebJobs\.|AzureFunctions|FUNCTIONS_|WEBSITE_)/.test(name);
}

/** The infrastructure lists the names in `GATEWAY_SETTINGS` as `GIVEN_SETTING_NAMES`. */
function unknownNames(environment: Environment): string[] {
  const names = (environment["GIVEN_SETTING_NAMES"] ?? "").split(",");
  return names.filter((name) => name !== "" && !schemas.has(name) && !isHostSetting(name));
}
