/** What a command does without a login for the platform. */
import { UnreachableError } from "./failures.ts";
import type { Platform, Target } from "./target/target.ts";

/** Returns the platform. Throws UnreachableError that says how to get a login. */
export function requirePlatform({ platform, settings }: Pick<Target, "platform" | "settings">): Platform {
  if (platform) return platform;
  throw new UnreachableError(
    `This command works on ${settings.platform.url} with a login of yours. Set PLATFORM_USERNAME and PLATFORM_PASSWORD, ` +
      "or PLATFORM_OAUTH_CLIENT_ID and PLATFORM_OAUTH_PRIVATE_KEY: docs/security.md, The operator's role.",
  );
}
