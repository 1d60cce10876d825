/** Which certificates of the platform are accepted, with and without the setting PLATFORM_CA. */
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { createAdapters } from "../../../src/lib/dependencies.ts";
import { loadSettings } from "../../../src/lib/settings/settings.ts";
import { startLoopbackServer } from "../../../tools/simulators/services/loopback-server.ts";
import { exampleEnvironment, oauthEnvironment } from "../../support/example-settings.ts";
import type { Certificate } from "../../support/proxy.ts";
import { createAuthority, startTlsFront } from "../../support/tls-front.ts";
import { useStarted } from "../../support/use-started.ts";

const platform = useStarted(async () =>
  startLoopbackServer(({ url }) => ({
    status: 200,
    body: url.pathname === "/oauth/token/" ? { access_token: "token-1" } : { objects: [] },
  })),
);
const old = await createAuthority("Authority 2020");
const next = await createAuthority("Authority 2030");
const issuing = await createAuthority("Issuing authority", { signer: old });
const expired = await createAuthority("Expired authority", { validToYear: 2021 });

/** Calls the platform behind this authority's certificate, as the app does with these settings. */
async function call(signer: Certificate, more: Record<string, string>, host = "127.0.0.1") {
  const front = await startTlsFront(platform.url, signer);
  onTestFinished(async () => front.stop());
  const url = front.url.replace("127.0.0.1", host);
  const settings = loadSettings({ ...exampleEnvironment, PLATFORM_URL: url, ...more });
  const { platformClient } = createAdapters(settings);
  return platformClient.call({ method: "GET", path: "/conference/" });
}

test.each([
  ["its authority", old, old.cert],
  ["an authority with line breaks written as \\n", old, old.cert.replaceAll("\n", "\\n")],
  ["the present authority and a new one", old, `${old.cert}\n${next.cert}`],
  [
    "comments before, between and after the authorities",
    old,
    `# now\n${old.cert}\n# later\n${next.cert}\n# end\n`,
  ],
  ["the new authority beside the old one", next, `${old.cert}\n${next.cert}`],
  ["only the authority that has signed it, which another one has signed", issuing, issuing.cert],
])("A call is sent if PLATFORM_CA has %s", async (_, signer, PLATFORM_CA) => {
  await expect(call(signer, { PLATFORM_CA })).resolves.toEqual({ body: { objects: [] } });
  await expect(call(signer, { PLATFORM_CA, ...oauthEnvironment })).resolves.toEqual({
    body: { objects: [] },
  });
});

const isUnknown = "UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN";
test.each<[string, Certificate, Record<string, string>, string, string?]>([
  ["no authority", old, {}, isUnknown],
  ["another authority", old, { PLATFORM_CA: next.cert }, isUnknown],
  ["an authority that has expired", expired, { PLATFORM_CA: expired.cert }, "CERT_HAS_EXPIRED"],
  [
    "a certificate for another host",
    old,
    { PLATFORM_CA: old.cert },
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "localhost",
  ],
])("No call is sent with %s", async (_, signer, settings, reason, host) => {
  const message = expect.stringMatching(new RegExp(`: (?:${reason})$`));
  await expect(call(signer, settings, host)).rejects.toMatchObject({ outcome: "not-sent", message });
});

test("Public authorities stay trusted", async () => {
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, next.cert]);
  onTestFinished(() => setDefaultCACertificates(before));
  await expect(call(next, { PLATFORM_CA: old.cert })).resolves.toEqual({ body: { objects: [] } });
});
