/** Schemas that parse as leniently as FastAPI (the lax mode of Pydantic 2). */
import * as z from "zod";

/** Parses integers as Pydantic's lax mode does: "12", "12.0" and 12.0 are 12, and true is 1. */
export const laxInteger = z.preprocess((value) => {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "string" && /^\s*[-+]?\d+(?:_\d+)*(?:\.0*)?\s*$/.test(value)
    ? clamp(Number(value.replaceAll("_", "")))
    : value;
}, z.int());

/** Moves a number beyond the safe integers to their limit, so its fault names the bound that it exceeds. */
function clamp(value: number): number {
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

const booleanWords = new Map([
  ...["true", "1", "on", "t", "y", "yes"].map((word) => [word, true] as const),
  ...["false", "0", "off", "f", "n", "no"].map((word) => [word, false] as const),
]);

/** Parses booleans as Pydantic's lax mode does: true/false, 1/0, on/off, t/f, y/n and yes/no, in any case. */
export const laxBoolean = z.preprocess((value) => {
  if (value === 0 || value === 1) return value === 1;
  return typeof value === "string" ? (booleanWords.get(value.toLowerCase()) ?? value) : value;
}, z.boolean());

const isoDateTime =
  /^\d{4}-\d{2}-\d{2}(?:[T _t]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:[zZ]|[-+]\d{2}:?\d{2})?)?$/;

/** Accepts what Pydantic accepts as a date-time: ISO 8601 with or without a time zone, or a Unix time. */
export const laxDateTime = z
  .union([z.string(), z.number()])
  .refine(
    (value) =>
      typeof value === "number" ||
      (isoDateTime.test(value) && !Number.isNaN(Date.parse(value.replace("_", "T")))),
    { params: { pydantic: "datetime_from_date_parsing" } },
  )
  .meta({ description: "ISO 8601 without a time zone, in UTC" });
