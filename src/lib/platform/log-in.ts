/** How calls log in to the platform, and the log-in by HTTP Basic. */

/** Provides the platform's Authorization header. */
export interface PlatformLogIn {
  /** Returns the value of the Authorization header. Throws PlatformError if the log-in fails. */
  authorization(): Promise<string>;
  /** Forgets this value, which the platform refused. Returns whether a new one may help. */
  invalidate(authorization: string): boolean;
}

/** Creates a log-in by HTTP Basic. It never fails, and there is no other value. */
export function createBasicLogIn(username: string, password: string): PlatformLogIn {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
  return { authorization: async () => authorization, invalidate: () => false };
}
