/** Prevents Azure's clients and curl from reaching loopback addresses through the environment's proxy. */
const loopback = "127.0.0.1";

/** Adds 127.0.0.1 to the addresses that bypass the proxy. Call it before opening a queue or starting curl. */
export function bypassProxy(): void {
  for (const name of ["NO_PROXY", "no_proxy"]) {
    const addresses = (process.env[name] ?? "").split(",").filter(Boolean);
    if (!addresses.includes(loopback)) process.env[name] = [...addresses, loopback].join(",");
  }
}
