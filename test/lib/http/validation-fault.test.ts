/** The input that a 422 returns to the caller: never one that is, or may contain, a secret, and never a long one. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validate } from "../../../src/lib/http/validation.ts";
import { faultWithInput, valueFault } from "../../../src/lib/http/validation-fault.ts";
import { Conference } from "../../../src/lib/rooms/conference-schema.ts";

const fault = { loc: ["body", "name"], msg: "Input should be a valid string", type: "string_type" };
const secret = "48291377";

const resultOf = (body: unknown): string => {
  try {
    return JSON.stringify(validate(Conference, body, "body"));
  } catch (error) {
    return JSON.stringify(error instanceof Error && "details" in error ? error.details : undefined);
  }
};

test("an input is returned as it was sent", () => {
  expect(faultWithInput(fault, 5)).toEqual({ ...fault, input: 5 });
  expect(faultWithInput(fault, null)).toEqual({ ...fault, input: null });
});

test.each(["pin", "guest_pin", "password", "token", "gms_access_token"])(
  "an input in the field %s is omitted",
  (field) => {
    const at = { ...fault, loc: ["body", "list", 0, field] };
    expect(faultWithInput(at, 5)).toEqual(at);
  },
);

test("an input nested in a secret field is omitted", () => {
  const at = { ...fault, loc: ["body", "gms_access_token", 0, "value"] };
  expect(faultWithInput(at, "x")).toEqual(at);
});

test("an input that is missing or longer than 1,000 characters as JSON is omitted", () => {
  expect(faultWithInput(fault, undefined)).toEqual(fault);
  expect(faultWithInput(fault, "x".repeat(999))).toEqual(fault);
  expect(faultWithInput(fault, "x".repeat(998))).toHaveProperty("input");
});

test("an input is returned if a word merely contains the name of a secret field", () => {
  const input = { topping: "spinach", tokens: 2 };
  expect(faultWithInput(fault, input)).toEqual({ ...fault, input });
});

test("a rule of the gateway is reported as FastAPI reports a custom validator", () => {
  expect(valueFault(["query", "uuiData"], "too long")).toEqual({
    type: "value_error",
    loc: ["query", "uuiData"],
    msg: "Value error, too long",
    ctx: { error: {} },
  });
});

describe("a PIN in a rejected body is never returned", () => {
  test.each([
    ["as a number", { pin: Number(secret) }],
    ["in a list", { guest_pin: [secret] }],
    ["in a list instead of an object", [{ pin: secret }]],
    ["nested in another field", { automatic_participants: { pin: secret } }],
    ["in a text that was not parsed as JSON", JSON.stringify({ pin: secret })],
    ["in form data", `guest_pin=${secret}`],
    ["nested in a list element", { ivr_theme: [[{ guest_pin: secret }]] }],
  ])("%s", (_, body) => {
    const result = resultOf(body);
    expect(result).toContain("faults");
    expect(result).not.toContain(secret);
  });

  test("at any place in any rejected body", () => {
    const secretly = fc.constantFrom("pin", "guest_pin").map((field) => ({ [field]: Number(secret) }));
    const body = fc.oneof(
      secretly,
      fc.tuple(fc.constantFrom(...Object.keys(Conference.shape)), secretly).map(([field, value]) => ({
        [field]: { inner: value },
        pin: Number(secret),
      })),
      fc.array(secretly, { minLength: 1 }),
    );
    fc.assert(
      fc.property(body, (value) => {
        expect(resultOf(value)).not.toContain(secret);
      }),
    );
  });
});
