/** Every `az` and `azd` command of documents, workflows and scripts is one that the command line takes. */
import { describe, expect, it } from "vitest";
import { azCommands, faultsOfAz, lineOf, pythonOfAz, readRecord } from "../support/infra/az-commands.ts";
import { commandsNaming } from "../support/infra/shell-commands.ts";

/** Shown if az refuses a command or has not been asked about it. */
const advice =
  "apt-get install azure-cli, then npm run az-commands, which asks az's parser and records what it accepts";

describe("az", () => {
  const commands = azCommands();
  const wrong = [
    ["functionapp", "restart", "--resource-grup", "a", "--name", "b"],
    ["functionapp", "restrat", "--resource-group", "a", "--name", "b"],
    ["functionapp", "restart", "--name", "b"],
    ["keyvault", "secret", "set", "--vault", "a", "--name", "b"],
    ["storage", "message", "peek", "--auth-mode", "nobody", "--queue-name", "a"],
  ];

  it("Has accepted every command", () => {
    const lines = commands.map(lineOf);
    const record = readRecord();
    const differing = [
      ...lines.filter((line) => !record.includes(line)),
      ...record.filter((line) => !lines.includes(line)),
    ];
    expect(commands.length).toBeGreaterThan(40);
    expect({ differing, advice }).toEqual({ differing: [], advice });
  });

  it("Accepts every command now, and refuses wrong ones", { timeout: 180_000 }, () => {
    const python = pythonOfAz();
    // Where az is not installed its earlier answers count: the record holds the right ones and none of the wrong ones.
    const record = readRecord();
    const faults = python
      ? faultsOfAz(python, [...commands, ...wrong])
      : [...commands, ...wrong].map((given) => (record.includes(lineOf(given)) ? null : "not recorded"));
    expect(commands.map(lineOf).filter((_, index) => faults[index] !== null)).toEqual([]);
    expect(faults.slice(commands.length).filter((fault) => fault === null)).toEqual([]);
  });
});

/** The flags of azd. https://learn.microsoft.com/azure/developer/azure-developer-cli/reference */
const ofAzd: Readonly<Record<string, { readonly flags: readonly string[]; readonly words: number }>> = {
  up: { flags: [], words: 0 },
  provision: { flags: ["--preview", "--no-state"], words: 0 },
  deploy: { flags: ["--all", "--from-package"], words: 1 },
  down: { flags: ["--force", "--purge"], words: 0 },
  "env new": { flags: ["--location", "--subscription"], words: 1 },
  "env set": { flags: ["--file"], words: 2 },
  "env get-values": { flags: [], words: 0 },
};
const ofEveryCommand = ["--environment", "-e", "--no-prompt", "--cwd", "-C", "--debug", "--help"];

/** What is wrong with a command of azd, or nothing. */
function faultOfAzd(given: readonly string[]): string | undefined {
  const name = Object.keys(ofAzd).find((command) => `${given.join(" ")} `.startsWith(`${command} `));
  const command = ofAzd[name ?? ""];
  if (name === undefined || !command) return `azd has no ${given.join(" ")}`;
  const rest = given.slice(name.split(" ").length);
  const unknown = rest.find(
    (word) => word.startsWith("-") && ![...command.flags, ...ofEveryCommand].includes(word),
  );
  if (unknown !== undefined) return `azd ${name} has no ${unknown}`;
  const words = rest.filter(
    (word, index) => !word.startsWith("-") && !/^(-e|--environment)$/.test(rest[index - 1] ?? ""),
  );
  return words.length > command.words ? `azd ${name} takes ${command.words} words` : undefined;
}

describe("azd", () => {
  const commands = commandsNaming("azd");

  it.each(commands.map(({ file, arguments: given }) => [given.join(" "), file, given] as const))(
    "Takes azd %s (%s)",
    (_, __, given) => {
      expect(faultOfAzd(given)).toBeUndefined();
    },
  );

  it.each(["deploy --form-package a", "dwon", "env set A B C", "up --purge"])("Refuses azd %s", (line) => {
    expect(faultOfAzd(line.split(" "))).toBeTypeOf("string");
  });

  it("Is named somewhere", () => {
    expect(commands.length).toBeGreaterThan(3);
  });
});
