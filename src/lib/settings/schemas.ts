/** The settings of the app: names, formats and defaults. */
import * as z from "zod";
import * as url from "./addresses.ts";
import { connectionString } from "./connection-string.ts";
import { roomTemplate } from "./room-template.ts";
import * as value from "./values.ts";

const text = z.string();

/** The schema of every setting, by its name in the environment. A setting without `optional` or a default is required. */
export const schemas = {
  AzureWebJobsStorage: connectionString.optional(),
  AzureWebJobsStorage__accountName: text
    .regex(/^[a-z0-9]{3,24}$/, "must be the name of a storage account")
    .optional(),
  AzureWebJobsStorage__queueServiceUri: url.address.optional(),
  AzureWebJobsStorage__blobServiceUri: url.address.optional(),
  AzureWebJobsStorage__credential: z.literal("managedidentity", "must be managedidentity").optional(),
  AzureWebJobsStorage__clientId: text.optional(),
  PLATFORM_URL: url.origin,
  PLATFORM_USERNAME: value.username.optional(),
  PLATFORM_PASSWORD: text.optional(),
  PLATFORM_OAUTH_CLIENT_ID: text.optional(),
  PLATFORM_OAUTH_PRIVATE_KEY: value.privateKey.optional(),
  PLATFORM_OAUTH_SCOPE: text.optional(),
  PLATFORM_TIMEOUT_SECONDS: value.wholeNumber(1, 60).prefault("10"),
  PLATFORM_MAX_CONCURRENCY: value.wholeNumber(1, 100).prefault("5"),
  ROOM_HOST_PIN: value.hostPin,
  ROOM_TEMPLATE: roomTemplate.prefault("{}"),
  ROOM_MAXIMUM_AGE_HOURS: value.wholeNumber(1, 8760).optional(),
  MAX_VMR: value.wholeNumber(0, 10_000),
  POOL_LEASE_SECONDS: value.wholeNumber(1, 3600).prefault("300"),
  POOL_MINIMUM: value.wholeNumber(0, 10_000).optional(),
  POOL_READY_DELAY_SECONDS: value.wholeNumber(0, 3600).prefault("0"),
  SERVICE_TAG_BASE_URL: url.serviceTagBase.optional(),
  UNMARKED_ROOMS: z.enum(["collect", "keep"], "must be collect or keep").prefault("collect"),
  GC_MAX_MESSAGES: value.wholeNumber(1, 1000).prefault("20"),
  GC_MINIMUM_AGE_SECONDS: value.wholeNumber(0, 604_800).prefault("600"),
  AUTH_TENANT_ID: value.tenantId,
  AUTH_AUDIENCES: value.list,
  AUTH_CLIENT_IDS: value.list,
  AUTH_REQUIRED_ROLE: text.optional(),
  AUTH_AUTHORITY: url.address.prefault("https://login.microsoftonline.com"),
  API_MANAGEMENT_SECRET: text.min(16, "must have at least 16 characters").optional(),
  CONTACT_CENTRE_API_URL: url.contactCentreAddress,
  CONTACT_CENTRE_DIVISION_IDS: value.list,
  EVENT_SINK_USERNAME: value.username,
  EVENT_SINK_PASSWORD: text,
  EVENT_SINK_PREVIOUS_USERNAME: value.username.optional(),
  EVENT_SINK_PREVIOUS_PASSWORD: text.optional(),
  LOGS_INGESTION_ENDPOINT: url.address.optional(),
  LOGS_INGESTION_RULE_ID: text.optional(),
  LOGS_INGESTION_STREAM: text.optional(),
};

/** The names of all settings, in the order of the schemas. */
export const settingNames: readonly string[] = Object.keys(schemas);

/** Every setting after its own check, by its name in the environment. */
export type SettingValues = z.output<z.ZodObject<typeof schemas>>;
