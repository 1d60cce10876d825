/** What functions share: the responses of failures, and tests of unexpected errors and unavailable storage. */
import { expect, test } from "vitest";
import type { Dependencies } from "../../src/lib/dependencies.ts";
import { type FailureCode, publicDetailOf, statusOf } from "../../src/lib/errors.ts";
import type { FunctionUnderTest } from "./in-process-gateway.ts";

/** The response of an expected failure: its status, its fixed text and its code in the log. */
export function failure(
  code: Exclude<FailureCode, "invalid-request">,
  headers: Readonly<Record<string, string>> = {},
): object {
  const detail = publicDetailOf(code);
  return {
    status: statusOf(code),
    code,
    headers,
    ...(detail === undefined ? { text: "" } : { json: { detail } }),
  };
}

/** The response 422 with exactly these faults. */
export const invalidRequest = (...detail: object[]): object => ({
  status: 422,
  code: "invalid-request",
  json: { detail },
});

/** A replacement for a dependency's method: it rejects with an error that nobody expects. */
export const programmingError = async (): Promise<never> =>
  Promise.reject(new TypeError("a programming error"));

/** `breakWith` returns the dependencies that are replaced. */
export function testUnexpectedError(
  { gateway, definition, sent }: FunctionUnderTest,
  breakWith: (dependencies: Dependencies) => Partial<Dependencies>,
): void {
  test("Returns 500 with a fixed text for an unexpected error and logs its cause", async () => {
    const dependencies = gateway.dependencies();
    const response = await gateway.call(definition, sent, { ...dependencies, ...breakWith(dependencies) });
    expect(response).toMatchObject({
      status: 500,
      code: "unexpected",
      json: { detail: "Internal Server Error" },
    });
    expect(gateway.log.join("\n")).toContain("a programming error");
  });
}

export function testStorageUnavailable({ gateway, definition, sent }: FunctionUnderTest): void {
  test("Returns 503 storage-unavailable with Retry-After if the queues cannot be reached", async () => {
    const response = await gateway.call(definition, sent, gateway.connect(gateway.storageDown()));
    expect(response).toMatchObject(failure("storage-unavailable", { "retry-after": "5" }));
  });
}
