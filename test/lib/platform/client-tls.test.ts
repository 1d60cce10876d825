/** A platform whose certificate is not to be trusted: nothing is sent, so that nothing can have happened there. */
import { once } from "node:events";
import { createServer } from "node:https";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { generate } from "selfsigned";
import { afterEach, describe, expect, test } from "vitest";
import { createPlatformClient } from "../../../src/lib/platform/client.ts";
import { createBasicLogIn } from "../../../src/lib/platform/log-in.ts";
import { createManualClock } from "../../support/manual-clock.ts";

const trustedBefore = getCACertificates("default");
afterEach(() => setDefaultCACertificates(trustedBefore));

interface Certificate {
  readonly isTrusted?: boolean;
  /** Signed by an authority of its own instead of by itself. */
  readonly hasAuthority?: boolean;
  readonly address?: string;
  readonly validFromYear?: number;
  readonly validToYear?: number;
}

/** Sends one POST to a server with this certificate; tells which requests arrived. */
async function post(certificate: Certificate) {
  const { address = "127.0.0.1", validFromYear = 2020, validToYear = 2120 } = certificate;
  const authority = await generate([{ name: "commonName", value: "authority" }], { keyType: "ec" });
  const { cert, private: key } = await generate([{ name: "commonName", value: address }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.UTC(validFromYear, 0)),
    notAfterDate: new Date(Date.UTC(validToYear, 0)),
    extensions: [{ name: "subjectAltName", altNames: [{ type: 7, ip: address }] }],
    ...(certificate.hasAuthority && { ca: { key: authority.private, cert: authority.cert } }),
  });
  if (certificate.isTrusted ?? true) setDefaultCACertificates([...trustedBefore, cert]);

  const arrived: (string | undefined)[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    arrived.push(request.method);
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the server has no port");
  const client = createPlatformClient({
    url: `https://127.0.0.1:${bound.port}`,
    timeoutSeconds: 20,
    maxConcurrency: 1,
    logIn: createBasicLogIn("api-user", "password"),
    clock: createManualClock(),
  });
  const outcome = await client.call({ method: "POST", path: "/rooms/", body: {} }).catch((e: unknown) => e);
  server.close();
  server.closeAllConnections();
  return { outcome, arrived };
}

test("a trusted certificate: the call arrives", async () => {
  expect(await post({})).toEqual({ outcome: { body: {} }, arrived: ["POST"] });
});

describe("platform-unavailable, and nothing is sent, for a certificate", () => {
  test.each<[string, Certificate, string]>([
    ["signed by itself", { isTrusted: false }, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["of an unknown authority", { isTrusted: false, hasAuthority: true }, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["that has expired", { validToYear: 2021 }, "CERT_HAS_EXPIRED"],
    ["that is not valid yet", { validFromYear: 2110 }, "CERT_NOT_YET_VALID"],
    ["of another address", { address: "192.0.2.1" }, "ERR_TLS_CERT_ALTNAME_INVALID"],
  ])("%s", async (_, certificate, reason) => {
    expect(await post(certificate)).toMatchObject({
      outcome: { outcome: "not-sent", code: "platform-unavailable", message: `POST /rooms/: ${reason}` },
      arrived: [],
    });
  });
});
