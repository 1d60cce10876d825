/** Complete environments with made-up values. */
import { generateKeyPairSync } from "node:crypto";

/** Each test changes or omits the setting it checks. */
export const exampleEnvironment: Readonly<Record<string, string>> = {
  AzureWebJobsStorage: "UseDevelopmentStorage=true",
  PLATFORM_URL: "https://platform.example.com",
  PLATFORM_USERNAME: "api-user",
  PLATFORM_PASSWORD: "plätform:password-9f2c ",
  ROOM_HOST_PIN: "482913",
  MAX_VMR: "50",
  AUTH_TENANT_ID: "11111111-1111-4111-8111-111111111111",
  AUTH_AUDIENCES: "api://other,api://22222222-2222-4222-8222-222222222222",
  AUTH_CLIENT_IDS: "99999999-2222-4222-8222-222222222222,22222222-2222-4222-8222-222222222222",
  CONTACT_CENTRE_API_URL: "https://api.mypurecloud.de",
  CONTACT_CENTRE_DIVISION_IDS: "99999999-5555-4555-8555-555555555555,55555555-5555-4555-8555-555555555555",
  EVENT_SINK_USERNAME: "sink",
  EVENT_SINK_PASSWORD: "sïnk:password-7d1e",
};

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });

/** What to add to it for a login with OAuth 2.0 instead of a password. */
export const oauthEnvironment = {
  PLATFORM_USERNAME: "",
  PLATFORM_PASSWORD: "",
  PLATFORM_OAUTH_CLIENT_ID: "88888888-8888-4888-8888-888888888888",
  PLATFORM_OAUTH_PRIVATE_KEY: String(privateKey.export({ type: "pkcs8", format: "pem" })),
};
