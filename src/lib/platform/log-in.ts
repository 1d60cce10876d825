/** How calls log in to the platform, and the log-in by HTTP Basic. */

/** Provides the platform's Authorization header. */
export interface PlatformLogIn {
  /** Returns the value of the Authorization header. Throws PlatformError if the log-in fails. */
  authorization(): Promise<string>;
  /** Returns whether logging in again may help after a 401. Also drops this value from the cache. */
  isRenewable(authorization: string): boolean;
}

/** Creates a log-in by HTTP Basic. It never fails and cannot be renewed. */
export function createBasicLogIn(username: string, password: string): PlatformLogIn {
  const authorization = `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
  return { authorization: async () => authorization, isRenewable: () => false };
}
