/**
 * The app as the local scripts run it. Ctrl-C reaches every process of a terminal, but the host decides when the
 * app ends.
 */
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
await import("../../../src/main.ts");

export {};
