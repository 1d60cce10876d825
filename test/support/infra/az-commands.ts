/**
 * The `az` commands of the project and what the command line's own parser says to them. Debian's package has that parser:
 * `apt-get install azure-cli`. What it has accepted is recorded, so a computer without it can check as well.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { commandsNaming } from "./shell-commands.ts";

export const recordPath = join("test", "support", "infra", "az-accepted.json");

/** Options of every command. https://learn.microsoft.com/cli/azure/reference-index */
const common = [
  "--help",
  "--output",
  "--query",
  "--subscription",
  "--only-show-errors",
  "--verbose",
  "--debug",
];

/**
 * Commands that Debian's version lacks: extensions, commands that are newer than 2.45, and `keyvault secret`, which needs
 * a Python package that Debian does not have. Each with its options, from its page below
 * https://learn.microsoft.com/cli/azure/reference-index.
 */
const others: Readonly<Record<string, readonly string[]>> = {
  "bicep build-params": ["--file", "--outdir", "--outfile", "--no-restore", "--stdout"],
  "bicep lint": ["--file", "--no-restore", "--diagnostics-format"],
  "functionapp list-flexconsumption-locations": ["--show-details", "--runtime", "--zone-redundant"],
  "keyvault secret set": ["--vault-name", "--name", "--file", "--encoding", "--expires", "--value"],
  "keyvault secret show": ["--vault-name", "--name", "--version", "--id"],
  "monitor log-analytics query": ["--workspace", "--analytics-query", "--timespan", "--workspaces"],
};

/** Every command of documents, workflows and scripts, each with its arguments once. */
export function azCommands(): string[][] {
  const all = commandsNaming("az").flatMap(({ file, arguments: given }) => {
    if (!given.includes("$@")) return [asChecked(given)];
    // A function of the script passes its own arguments on.
    const calls = commandsNaming("vault").filter((call) => call.file === file);
    return calls.map((call) => given.flatMap((word) => (word === "$@" ? call.arguments : [word])));
  });
  return [...new Map(all.map((given) => [JSON.stringify(given), given])).values()];
}

/** A command that a document only names is asked for its help. */
function asChecked(given: readonly string[]): string[] {
  return given.some((word) => word.startsWith("-")) ? [...given] : [...given, "--help"];
}

/** What is wrong with a command that is in the table above; undefined if it is not in it. */
function faultByTable(given: readonly string[]): string | null | undefined {
  const command = Object.keys(others).find((name) => given.join(" ").startsWith(`${name} `));
  if (command === undefined) return undefined;
  const known = [...(others[command] ?? []), ...common];
  const unknown = given.filter((word) => word.startsWith("-")).find((word) => !known.includes(word));
  return unknown === undefined ? null : `${command} has no option ${unknown}`;
}

const pythons = ["/usr/bin/python3", "/opt/az/bin/python3"];

/** The Python that has the Azure command line, or undefined if there is none. */
export function pythonOfAz(): string | undefined {
  return pythons.find((python) => spawnSync(python, ["-c", "import azure.cli.core"]).status === 0);
}

/** What the parser says to each command: null if it accepts it. */
export function faultsOfAz(python: string, commands: readonly (readonly string[])[]): (string | null)[] {
  const byTable = commands.map(faultByTable);
  const asked = commands.filter((_, index) => byTable[index] === undefined);
  const { stdout, stderr } = spawnSync(python, [join("test", "support", "infra", "az-parser.py")], {
    input: JSON.stringify(asked),
    encoding: "utf8",
    timeout: 120_000,
    env: {
      // Nothing of the person's own settings, and no call to the outside.
      AZURE_CONFIG_DIR: join(tmpdir(), "vmr-az-parser"),
      AZURE_CORE_COLLECT_TELEMETRY: "no",
      AZURE_CORE_ERROR_RECOMMENDATION: "off",
      AZURE_EXTENSION_USE_DYNAMIC_INSTALL: "no",
      HTTPS_PROXY: "http://127.0.0.1:9",
      PATH: process.env["PATH"] ?? "",
    },
  });
  const answers = z.array(z.string().nullable()).safeParse(JSON.parse(stdout || "null"));
  if (!answers.success) throw new Error(`The parser of az failed: ${stderr}`);
  return byTable.map((fault) => (fault === undefined ? (answers.data.shift() ?? null) : fault));
}

/** The commands that the parser has accepted. */
export function readRecord(): string[] {
  return z.array(z.string()).parse(JSON.parse(readFileSync(recordPath, "utf8")));
}

export function lineOf(given: readonly string[]): string {
  return `az ${given.join(" ")}`;
}
