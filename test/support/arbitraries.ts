/** What the generators of requests are built from. */
import fc from "fast-check";

/** Rooms that the platform is given, so that some requests find one. */
export const knownRooms = ["room-1", "room-2", "room-3", "a/b", "Zürich ☃", "test_room"];

/** One of these, each as likely. */
export const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values);
/** One of these arbitraries, by weight. */
export const weighted = <T>(...choices: [number, fc.Arbitrary<T>][]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

/** Any text without lone surrogates. */
export const anyText = fc.string({ unit: "binary", maxLength: 40 });
