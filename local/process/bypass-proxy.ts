// Imported for its effect by whatever opens a queue: Azure's clients would otherwise look for one on this computer
// through the proxy that the environment names.
for (const name of ["NO_PROXY", "no_proxy"]) {
  process.env[name] = [process.env[name], "127.0.0.1"].filter(Boolean).join(",");
}
