/** The operator's commands as one file, for people on call who have no clone. */
import { bundle } from "./bundle.ts";
import { createNotices } from "./third-party-notices.ts";

/** Returns the program, which ends with the licence texts of the packages that it contains. */
export async function createOperatorsProgram(): Promise<string> {
  const { outputFiles, sources } = await bundle({
    entryPoint: "tools/ops/main.ts",
    outfile: "dist/vmr-gateway-ops.mjs",
  });
  const [program] = outputFiles;
  const notices = await createNotices(sources);
  return `${program?.text}\n${notices.replaceAll(/^/gm, "// ")}\n`;
}
