/** The hook that asks for missing secrets: what it asks, what it sets, and what it says to each failure. */
import { describe, expect, it } from "vitest";
import { type Response, runScript } from "../support/infra/stub-commands.ts";

const script = "infra/hooks/ask-missing-secrets.sh";
const environment = {
  KEY_VAULT_NAME: "kv-example",
  AZURE_RESOURCE_GROUP: "rg-example",
  FUNCTION_APP_NAME: "func-example",
  VAULT_TRIES: "3",
  VAULT_PAUSE_SECONDS: "0",
};

/** As az 2.45 writes them. */
const notFound = {
  status: 3,
  stderr: "ERROR: (SecretNotFound) A secret with (name/id) NAME was not found in this key vault.\n",
};
const forbidden = {
  status: 1,
  stderr:
    'ERROR: (Forbidden) Caller is not authorized to perform action on resource.\nInner error: {\n    "code": "ForbiddenByRbac"\n}\n',
};
const outside = {
  status: 1,
  stderr:
    'ERROR: (Forbidden) Public network access is disabled.\nInner error: {\n    "code": "ForbiddenByConnection"\n}\n',
};
const loggedOut = { status: 1, stderr: "ERROR: Please run 'az login' to setup account.\n" };

const referring = (...names: string[]): Response => ({
  words: "functionapp config appsettings list",
  stdout: names
    .map((name) => `@Microsoft.KeyVault(SecretUri=https://kv-example.vault.azure.net/secrets/${name})\n`)
    .join(""),
});
const show = (name: string, response: Partial<Response> = {}): Response => ({
  words: `keyvault secret show --name ${name}`,
  times: 9,
  ...response,
});
const set = (name: string, response: Partial<Response> = {}): Response => ({
  words: `keyvault secret set --name ${name}`,
  ...response,
});
const own = show("API-MANAGEMENT-SECRET");
const run = async (responses: readonly Response[], changes: object = {}) =>
  runScript({ script, environment, responses, ...changes });

describe("The hook that asks for secrets", () => {
  it("Passes in silence if the vault holds every secret that the app refers to", async () => {
    const { status, stderr, commands } = await run([
      own,
      referring("ROOM-HOST-PIN", "PLATFORM-PASSWORD"),
      show("ROOM-HOST-PIN"),
      show("PLATFORM-PASSWORD"),
    ]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(commands.filter((line) => line.includes("secret set"))).toEqual([]);
    expect(commands.filter((line) => line.includes("secret"))).toEqual(
      ["API-MANAGEMENT-SECRET", "PLATFORM-PASSWORD", "ROOM-HOST-PIN"].map(
        (name) => `az keyvault secret show --name ${name} --vault-name kv-example --output none`,
      ),
    );
  });

  it("Names what is missing and stops before the app is deployed if nobody can be asked", async () => {
    const { status, stderr } = await run([
      own,
      referring("PLATFORM-OAUTH-PRIVATE-KEY", "ROOM-HOST-PIN"),
      show("ROOM-HOST-PIN"),
      show("PLATFORM-OAUTH-PRIVATE-KEY", notFound),
    ]);
    expect(status).toBe(1);
    expect(stderr).toContain("kv-example lacks: PLATFORM-OAUTH-PRIVATE-KEY. ");
    expect(stderr).toContain("printf %s");
  });

  it("Makes the secret of API Management, 32 random bytes without a newline, and another one each time", async () => {
    const responses = [show("API-MANAGEMENT-SECRET", notFound), set("API-MANAGEMENT-SECRET"), referring()];
    const runs = [1, 2].map(() => run(responses));
    const inputs = (await Promise.all(runs)).map(({ inputs: all }) => Object.values(all)[0] ?? "");
    expect(new Set(inputs).size).toBe(2);
    for (const input of inputs) {
      expect(input).toMatch(/^[A-Za-z0-9+/]+=*$/);
      expect(Buffer.from(input, "base64")).toHaveLength(32);
    }
  });

  it("Asks a person for the value and passes it through a pipe, without a newline", async () => {
    const { status, commands, inputs } = await run(
      [own, referring("ROOM-HOST-PIN"), show("ROOM-HOST-PIN", notFound), set("ROOM-HOST-PIN")],
      { typed: "123456\n" },
    );
    const line =
      "az keyvault secret set --name ROOM-HOST-PIN --file /dev/stdin --vault-name kv-example --output none";
    expect(status).toBe(0);
    expect(inputs).toEqual({ [line]: "123456" });
    expect(commands.join("\n")).not.toContain("123456");
  });

  it("Asks a person for the file of the private key", async () => {
    const name = "PLATFORM-OAUTH-PRIVATE-KEY";
    const { status, commands } = await run([own, referring(name), show(name, notFound), set(name)], {
      typed: "key.pem\n",
    });
    expect(status).toBe(0);
    expect(commands.at(-1)).toBe(
      `az keyvault secret set --name ${name} --file key.pem --vault-name kv-example --output none`,
    );
  });

  it("Waits for a role that does not hold yet", async () => {
    const { status, stderr, commands } = await run([
      show("API-MANAGEMENT-SECRET", { ...forbidden, times: 2 }),
      own,
      referring(),
    ]);
    expect(status).toBe(0);
    expect(stderr).toContain("Try 2 of 3");
    expect(commands.filter((line) => line.includes("secret show"))).toHaveLength(3);
  });

  it.each([
    ["the role never holds", forbidden, "Key Vault Secrets Officer"],
    ["the vault is reached from its network only", outside, "subnet runner"],
    ["nobody is logged in", loggedOut, "az login"],
  ])("Stops, repeats what az says and says what to do if %s", async (_, response, advice) => {
    const { status, stderr, commands } = await run([show("API-MANAGEMENT-SECRET", response)]);
    expect(status).toBe(1);
    expect(stderr).toContain(response.stderr.trim());
    expect(stderr).toContain(advice);
    expect(stderr).not.toContain("lacks:");
    expect(commands.filter((line) => line.includes("secret set"))).toEqual([]);
  });

  it("Stops if the app's settings cannot be read", async () => {
    const { status, stderr } = await run([
      own,
      { ...referring(), status: 3, stderr: "ERROR: (ResourceNotFound)\n" },
    ]);
    expect([status, stderr]).toEqual([3, "ERROR: (ResourceNotFound)\n"]);
  });

  it("Stops if a secret cannot be set", async () => {
    const { status, stderr } = await run([
      show("API-MANAGEMENT-SECRET", notFound),
      set("API-MANAGEMENT-SECRET", outside),
    ]);
    expect(status).toBe(1);
    expect(stderr).toContain("subnet runner");
  });

  it.each(["KEY_VAULT_NAME", "AZURE_RESOURCE_GROUP", "FUNCTION_APP_NAME"])("Needs %s", async (name) => {
    const { [name]: _left, ...others } = { ...environment } as Record<string, string>;
    const { status, stderr } = await run([], { environment: others });
    expect(status).not.toBe(0);
    expect(stderr).toContain(`${name}: is an output of the deployment`);
  });
});
