/** The list format of the platform's API: a page of rows with a link to the next page. */
import * as z from "zod";
import type { PlatformResponse } from "./client.ts";
import { PlatformError } from "./platform-error.ts";

/** A page of any resource. Counts that do not have the documented form are treated as missing. */
export const Page = z.object({
  meta: z.object({
    limit: z.int().positive().optional().catch(undefined),
    next: z.string().nullish(),
    total_count: z.int().min(0).optional().catch(undefined),
  }),
  objects: z.array(z.unknown()),
});

/**
 * Returns the path of the next page, or undefined on the last page. Throws PlatformError if the link leads anywhere
 * but to the same resource of the platform.
 */
export function nextPath({ body }: PlatformResponse, path: string): string | undefined {
  const next = Page.safeParse(body).data?.meta.next;
  if (next === null || next === undefined) return undefined;
  const base = "http://platform.invalid";
  const url = URL.canParse(next, base) ? new URL(next, base) : undefined;
  if (url?.pathname !== path) throw undocumentedResponse(path);
  return `${url.pathname}${url.search}`;
}

/**
 * Returns the paths of all pages after the first one, if its link is the usual offset into as many rows as it counts.
 * Such pages can be fetched in parallel. Returns an empty list if the paths cannot be predicted.
 */
export function predictedPaths(first: PlatformResponse, path: string, maxPages: number): string[] {
  const { limit, total_count: total } = Page.safeParse(first.body).data?.meta ?? {};
  const next = nextPath(first, path);
  if (limit === undefined || total === undefined || next === undefined || total > limit * maxPages) return [];
  const query = new URLSearchParams(next.slice(path.length + 1));
  if (query.get("offset") !== String(limit) || query.get("limit") !== String(limit)) return [];
  return Array.from({ length: Math.ceil(total / limit) - 1 }, (_, index) => {
    query.set("offset", String(limit * (index + 1)));
    return `${path}?${query.toString()}`;
  });
}

/** Returns the failure of a response that does not have the documented format. */
export function undocumentedResponse(path: string): PlatformError {
  return new PlatformError({
    outcome: "refused",
    message: `${path}: the response does not have the documented format`,
  });
}
