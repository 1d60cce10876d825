/** The text of a provisioning request: valid, old and invalid forms. */
import { expect, test } from "vitest";
import { type ProvisioningRequest, provisioningRequest } from "../../../src/lib/pool/provisioning.ts";

test.each<[string, ProvisioningRequest]>([
  ['{"reason":"claimed"}', { reason: "claimed" }],
  ['{"reason":"bulk","upTo":50}', { reason: "bulk", upTo: 50 }],
])("A request is written as %s and read without loss", (text, request) => {
  expect(JSON.stringify(request)).toBe(text);
  expect(provisioningRequest.parse(JSON.parse(text))).toEqual(request);
});

test("A request that release 1.0 wrote as `healing` is still read", () => {
  expect(provisioningRequest.parse({ reason: "healing", upTo: 50 })).toEqual({ reason: "healing", upTo: 50 });
});

test.each([
  ["text", "claimed"],
  ["null", null],
  ["an array", [{ reason: "claimed" }]],
  ["an object without a reason", {}],
  ["an object with an unknown reason", { reason: "tuesday" }],
  ["a bulk request with a level of text", { reason: "bulk", upTo: "5" }],
  ["a bulk request with a fractional level", { reason: "bulk", upTo: 1.5 }],
  ["a healing request with a negative level", { reason: "healing", upTo: -1 }],
  ["a healing request without a level", { reason: "healing" }],
])("A message that is %s is refused", (_, message) => {
  expect(provisioningRequest.safeParse(message).success).toBe(false);
});
