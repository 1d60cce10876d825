/** The operator's identity. */
import jsonwebtoken from "jsonwebtoken";
import { expect, test } from "vitest";
import { fetchOperatorId } from "../target/deployment.ts";

const token = jsonwebtoken.sign({ oid: "44444444-4444-4444-8444-444444444444" }, "secret");
const scopes: unknown[] = [];
const credential = {
  getToken: async (scope: unknown) => {
    scopes.push(scope);
    return { token, expiresOnTimestamp: 0 };
  },
};

test("The operator's ID is the object ID in a token for Azure's management API", async () => {
  expect(await fetchOperatorId("https://management.azure.com", credential)).toBe(
    "44444444-4444-4444-8444-444444444444",
  );
  expect(scopes).toEqual(["https://management.azure.com/.default"]);
});

test("Without a token, the command ends and says what to do", async () => {
  const nobody = { getToken: async () => null };
  await expect(fetchOperatorId("https://management.azure.com", nobody)).rejects.toThrow(
    "Run `az login` first",
  );
});
