// Plain JavaScript that any Node can read: it says in one line why the scripts cannot run yet.
import { existsSync } from "node:fs";

const [major] = process.versions.node.split(".");
const isInstalled = existsSync(new URL("../node_modules/.package-lock.json", import.meta.url));
if (Number(major) < 24) {
  console.error(
    `This project runs on Node 24 and found Node ${process.versions.node}: ` +
      "run `npm ci` with install scripts allowed, which fetch node@24, or your registry lacks the package: install Node 24.",
  );
  process.exit(1);
}
if (!isInstalled) {
  console.error("The project's packages are not installed: run `npm ci` first.");
  process.exit(1);
}
