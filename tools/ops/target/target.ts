/** The gateway that a command works on, as the operator reaches it. */

import type { Conferences } from "../../../src/lib/platform/conferences.ts";
import type { PlatformStatus } from "../../../src/lib/platform/status.ts";
import type { Queues } from "../../../src/lib/ports.ts";
import type { Settings } from "../../../src/lib/settings/settings.ts";
import { UnreachableError } from "../outcomes.ts";
import type { LogReader } from "./log-reader.ts";

/** The conferencing platform, with the operator's credentials. */
export interface Platform {
  readonly conferences: Conferences;
  readonly status: PlatformStatus;
}

export interface Target {
  /** For the first line of a screen. */
  readonly name: string;
  readonly isLocal: boolean;
  readonly gatewayUrl: string;
  /** The settings that the gateway runs with. Secrets that the operator cannot read are placeholders. */
  readonly settings: Settings;
  readonly queues: Queues;
  readonly log: LogReader;
  /** Undefined if the operator has no credentials for the platform. */
  readonly platform: Platform | undefined;
  /** Returns the fingerprint of new rooms, or undefined if the gateway has not logged it. */
  readonly fingerprint: () => Promise<string | undefined>;
  /** Returns the names of the settings whose secret in the vault could not be resolved. */
  readonly unresolvedSecrets: () => Promise<readonly string[]>;
  /** Returns the operator's object ID, or undefined if there is none. */
  readonly operatorId: () => Promise<string | undefined>;
  /** Returns a token for `/room/...`. Throws UnreachableError if none can be obtained. */
  readonly accessToken: () => Promise<string>;
}

/** Returns the platform. Throws UnreachableError that says how to set credentials. */
export function requirePlatform({ platform, settings }: Pick<Target, "platform" | "settings">): Platform {
  if (platform) return platform;
  throw new UnreachableError(
    `This command needs your own credentials for ${settings.platform.url}. Set PLATFORM_USERNAME and PLATFORM_PASSWORD, ` +
      "or PLATFORM_OAUTH_CLIENT_ID and PLATFORM_OAUTH_PRIVATE_KEY: docs/security.md, The operator's role.",
  );
}
