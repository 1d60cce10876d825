/** The app as the local scripts run it. Ctrl-C reaches every process of a terminal; when the app ends is up to its host. */
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
await import("../../../src/main.ts");

export {};
