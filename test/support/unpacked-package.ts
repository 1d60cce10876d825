/** The deployable zip, unpacked in memory and into an empty folder. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { unzipSync } from "fflate";
import * as z from "zod";
import { createArchive, createDeployment } from "../../scripts/package/deployment.ts";

const SourceMap = z.object({ sources: z.array(z.string()) });

/** Creates the package and unpacks it. */
export async function unpackPackage() {
  const files = unzipSync(createArchive(await createDeployment()));
  const folder = await realpath(await mkdtemp(join(tmpdir(), "vmr-package-")));
  for (const [path, contents] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), contents);
  }
  const text = (path: string): string => Buffer.from(files[path] ?? []).toString();
  const paths = Object.keys(files);
  return {
    /** Outside the project, so that no node_modules is found from it. */
    folder,
    paths,
    /** The paths of the bundled files without their source maps. */
    scripts: paths.filter((path) => path.endsWith(".js")),
    text,
    /** The sources of a bundled file, as paths from the project's root. */
    sourcesOf: (path: string): string[] =>
      SourceMap.parse(JSON.parse(text(`${path}.map`))).sources.map((source) =>
        posix.join(posix.dirname(path), source),
      ),
    stop: async () => rm(folder, { recursive: true, force: true }),
  };
}

/** The npm package of a source. Some packages are bundles themselves, whose source maps esbuild follows. */
export function packageOf(source: string): string | undefined {
  return /.*(?:node_modules|webpack:)\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1];
}
