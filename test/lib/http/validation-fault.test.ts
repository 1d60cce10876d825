/** What a 422 may repeat of its input: never what is, or may hold, a secret, and nothing long. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Conference } from "../../../src/lib/api/conference-schema.ts";
import { validate } from "../../../src/lib/http/validation.ts";
import { faultWithInput, valueFault } from "../../../src/lib/http/validation-fault.ts";

const fault = { loc: ["body", "name"], msg: "Input should be a valid string", type: "string_type" };
const secret = "48291377";

const answerTo = (body: unknown): string => {
  try {
    return JSON.stringify(validate(Conference, body, "body"));
  } catch (error) {
    return JSON.stringify(error instanceof Error && "details" in error ? error.details : undefined);
  }
};

test("an input is repeated as it was sent", () => {
  expect(faultWithInput(fault, 5)).toEqual({ ...fault, input: 5 });
  expect(faultWithInput(fault, null)).toEqual({ ...fault, input: null });
});

test.each(["pin", "guest_pin", "password", "token", "gms_access_token"])(
  "an input at %s is left out",
  (field) => {
    const at = { ...fault, loc: ["body", "list", 0, field] };
    expect(faultWithInput(at, 5)).toEqual(at);
  },
);

test("an input below a secret field is left out, too", () => {
  const at = { ...fault, loc: ["body", "gms_access_token", 0, "value"] };
  expect(faultWithInput(at, "x")).toEqual(at);
});

test("an input that is absent or longer than 1,000 characters is left out", () => {
  expect(faultWithInput(fault, undefined)).toEqual(fault);
  expect(faultWithInput(fault, "x".repeat(999))).toEqual(fault);
  expect(faultWithInput(fault, "x".repeat(998))).toHaveProperty("input");
});

test("words that only contain a secret field's name hide nothing", () => {
  const input = { topping: "spinach", tokens: 2 };
  expect(faultWithInput(fault, input)).toEqual({ ...fault, input });
});

test("a rule of ours is worded as a validator of FastAPI words it", () => {
  expect(valueFault(["query", "uuiData"], "too long")).toEqual({
    type: "value_error",
    loc: ["query", "uuiData"],
    msg: "Value error, too long",
    ctx: { error: {} },
  });
});

describe("a PIN in a refused body is never repeated", () => {
  test.each([
    ["as a number", { pin: Number(secret) }],
    ["in a list", { guest_pin: [secret] }],
    ["in a list that takes the body's place", [{ pin: secret }]],
    ["inside another field", { automatic_participants: { pin: secret } }],
    ["in a text that was not read as JSON", JSON.stringify({ pin: secret })],
    ["in a form", `guest_pin=${secret}`],
    ["inside an element", { ivr_theme: [[{ guest_pin: secret }]] }],
  ])("%s", (_, body) => {
    const answer = answerTo(body);
    expect(answer).toContain("faults");
    expect(answer).not.toContain(secret);
  });

  test("wherever it stands in any body that is refused", () => {
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
        expect(answerTo(value)).not.toContain(secret);
      }),
    );
  });
});
