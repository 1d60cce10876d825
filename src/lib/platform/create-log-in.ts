/** Chooses the platform log-in. */
import type { Clock } from "../ports.ts";
import { createBasicLogIn, type PlatformLogIn } from "./log-in.ts";
import { createOAuthLogIn } from "./oauth-log-in.ts";

/** What a log-in needs from the platform's settings. */
export interface LogInSettings {
  readonly url: string;
  readonly timeoutSeconds: number;
  readonly logIn:
    | { readonly username: string; readonly password: string }
    | { readonly clientId: string; readonly privateKey: string; readonly scope?: string | undefined };
}

/** Creates the log-in that the settings ask for. Does not contact the platform. */
export function createLogIn({ logIn, url, timeoutSeconds }: LogInSettings, clock: Clock): PlatformLogIn {
  return "username" in logIn
    ? createBasicLogIn(logIn.username, logIn.password)
    : createOAuthLogIn({ ...logIn, url, timeoutSeconds, clock });
}
