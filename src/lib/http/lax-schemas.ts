/** Schemas that read as leniently as FastAPI (Pydantic 2 in its lax mode). */
import * as z from "zod";

/** Reads integers as Pydantic's lax mode: "12", "12.0" and 12.0 are 12; true is 1. */
export const laxInteger = z.preprocess((value) => {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "string" && /^\s*[-+]?\d+(?:_\d+)*(?:\.0*)?\s*$/.test(value)
    ? clamp(Number(value.replaceAll("_", "")))
    : value;
}, z.int());

/** Keeps a number too large to count with outside every bound, so that the bound is what its fault names. */
function clamp(value: number): number {
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

const booleanWords = new Map([
  ...["true", "1", "on", "t", "y", "yes"].map((word) => [word, true] as const),
  ...["false", "0", "off", "f", "n", "no"].map((word) => [word, false] as const),
]);

/** Reads booleans as Pydantic's lax mode: true/false, 1/0, on/off, t/f, y/n, yes/no in any case. */
export const laxBoolean = z.preprocess((value) => {
  if (value === 0 || value === 1) return value === 1;
  return typeof value === "string" ? (booleanWords.get(value.toLowerCase()) ?? value) : value;
}, z.boolean());

const isoDateTime =
  /^\d{4}-\d{2}-\d{2}(?:[T _t]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[zZ]|[-+]\d{2}:?\d{2})?)?$/;

/** Takes what Pydantic takes for a date-time: ISO 8601 with or without a zone, or a Unix time. */
export const laxDateTime = z
  .union([z.string(), z.number()])
  .refine(
    (value) =>
      typeof value === "number" ||
      (isoDateTime.test(value) && !Number.isNaN(Date.parse(value.replace("_", "T")))),
    {
      params: { pydantic: "datetime_from_date_parsing" },
    },
  )
  .meta({ description: "ISO 8601 without a time zone, in UTC" });
