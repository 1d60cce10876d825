/**
 * The objects to which rooms refer, and what becomes of a reference that a request writes. It is as django-tastypie
 * 0.13.3 and 0.15.1 do, with which the platform's API is built: test/contract/platform.test.ts compares.
 */
import { ApiError, badRequest } from "./api-error.ts";
import { resourceUri } from "./conference-fields.ts";

interface RelatedObject {
  readonly id: number;
  readonly creation_time: string;
  readonly [field: string]: unknown;
}

/** What the fields of a new object are, unless a request sets them. */
const blanks: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  automatic_participant: { alias: "", description: "", protocol: "sip" },
};
const creation_time = "2026-01-01T00:00:00";

/** Creates two objects of each kind, with the ids 1 and 2. */
export function createRelatedObjects() {
  const changed = new Map<string, RelatedObject>();

  function find(resource: string, id: number): RelatedObject | undefined {
    const stored = changed.get(resourceUri(resource, id));
    if (stored !== undefined || id < 1 || id > 2) return stored;
    const own =
      resource === "automatic_participant"
        ? { alias: "sip:queue@contact-centre.example.com", description: "The queue" }
        : { name: "Standard" };
    return { id, ...blanks[resource], ...own, creation_time };
  }

  /**
   * Returns the path of the object that a value refers to. A nested object is written first; its missing fields become
   * blank.
   */
  function resolve(value: unknown, resource: string): string {
    if (typeof value === "string") return resolvePath(value, resource);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw badRequest(`The field was given data that was not a URI, but is of '${resource}'.`);
    const { id, ...fields }: { readonly id?: unknown } = value;
    if (typeof id !== "number") throw badRequest("The simulator reads nested objects by their id only.");
    const path = resourceUri(resource, id);
    changed.set(path, { id, ...(blanks[resource] ?? { name: "" }), ...fields, creation_time });
    return path;
  }

  /** Whatever is before the path is cut. A path of another kind is not found, an object that is missing is bad data. */
  function resolvePath(text: string, resource: string): string {
    const [, kind, id] = /\/([a-z_]+)\/(-?\d+)\/$/.exec(text) ?? [];
    if (kind !== resource) throw notProcessed();
    if (!find(resource, Number(id)))
      throw badRequest(`Could not find the provided ${resource} object via resource URI '${text}'.`);
    return resourceUri(resource, Number(id));
  }

  return {
    resolve,
    /** Resolves a list. Anything else is not found, because the platform takes each character for a path. */
    resolveList: (value: unknown, resource: string): string[] => {
      if (value === null) return [];
      if (!Array.isArray(value)) throw notProcessed();
      return value.map((entry) => resolve(entry, resource));
    },
    /** Returns the object at a path that `resolve` has returned. */
    show: (path: string) => {
      const [, resource = "", id] = /\/([a-z_]+)\/(\d+)\/$/.exec(path) ?? [];
      return find(resource, Number(id));
    },
    clear: () => changed.clear(),
  };
}

function notProcessed(): ApiError {
  const error_message = "Sorry, this request could not be processed. Please try again later.";
  return new ApiError(404, { error_message });
}
