/**
 * Starts a real Tastypie, the framework of the platform's API: Debian's `python3-django-tastypie`, or the one of pip.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { identities } from "../../tools/simulators/identities.ts";

const script = fileURLToPath(new URL("../../tools/nightly/tastypie/main.py", import.meta.url));

/** Starts it on 127.0.0.1 with an empty platform. Throws if this computer has none. */
export async function startTastypie() {
  // Another Python is often before Debian's.
  const python = ["python3", "/usr/bin/python3"].find(
    (command) => spawnSync(command, ["-c", "import django, tastypie"]).status === 0,
  );
  if (python === undefined)
    throw new Error(
      "There is no Tastypie: install Debian's python3-django-tastypie, or django-tastypie by pip.",
    );
  const { platformUsername, platformPassword } = identities;
  const child = spawn(python, ["-B", script, platformUsername, platformPassword], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const [port] = await Promise.race([
    once(child.stdout, "data"),
    exited.then(() => Promise.reject(new Error(`${script} ended before it listened.`))),
  ]);
  return {
    url: `http://127.0.0.1:${Number(port)}`,
    stop: async (): Promise<void> => {
      child.kill();
      await exited;
    },
  };
}
