/** The operator's token and identity. */
import jsonwebtoken from "jsonwebtoken";
import { expect, test } from "vitest";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { exampleEnvironment } from "../../../test/support/example-settings.ts";
import { fetchOperatorId, fetchOperatorToken } from "../target/deployment.ts";

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

test.each(["azp", "appid"])("A token is printed if its client (%s) may call the gateway", async (claim) => {
  const { bearer } = loadSettings(exampleEnvironment);
  const [clientId] = bearer.clientIds;
  const issued = jsonwebtoken.sign({ [claim]: clientId }, "secret");
  const getToken = async () => ({ token: issued, expiresOnTimestamp: 0 });
  expect(await fetchOperatorToken(bearer, {}, { getToken })).toBe(issued);
});

test("A token of another client is refused, and the message says what to do", async () => {
  const { bearer } = loadSettings(exampleEnvironment);
  const getToken = async () => ({
    token: jsonwebtoken.sign({ appid: "another-client" }, "secret"),
    expiresOnTimestamp: 0,
  });
  await expect(fetchOperatorToken(bearer, {}, { getToken })).rejects.toThrow(
    /its client another-client is not among AUTH_CLIENT_IDS\. Set OPS_CLIENT_ID/,
  );
});
