/** The licence texts of the packages whose code is in the bundle, as their licences require. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { root } from "./bundle.ts";

const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
  author: z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]).optional(),
});

/**
 * One text with name, version, licence, author and licence text of each package, in the order of their names. `sources`
 * are the paths of bundled files. Rejects if a package does not name its licence, which must then be checked by hand.
 */
export async function createNotices(sources: readonly string[]): Promise<string> {
  const folders = sources.flatMap((source) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(source) ?? []);
  const notices = await Promise.all([...new Set(folders)].map(describePackage));
  const head = "The bundle contains code of these packages, each under its own licence.";
  return `${[head, ...new Set(notices.toSorted())].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

async function describePackage(folder: string): Promise<string> {
  const read = async (file: string) =>
    (await readFile(join(root, folder, file), "utf8")).replaceAll("\r\n", "\n");
  const { name, version, license, author } = Manifest.parse(JSON.parse(await read("package.json")));
  const files = await readdir(join(root, folder));
  const licenceFiles = files.filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).toSorted();
  const texts =
    licenceFiles.length > 0
      ? await Promise.all(licenceFiles.map(read))
      : [licenceSection(await read("README.md"))];
  if (texts.every((text) => text.trim() === "")) throw new Error(`${name} has no licence text`);
  const title = [`${name} ${version}`, license, author].filter((part) => part !== undefined).join(", ");
  return [title, ...texts.map((text) => text.trim())].join("\n\n");
}

/** Some packages have their licence as the last section of the README. */
function licenceSection(readme: string): string {
  return /^#* *Licen[cs]e *\n([\s\S]+)/im.exec(readme)?.[1] ?? "";
}
