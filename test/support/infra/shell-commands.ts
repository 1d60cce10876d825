/** Finds the commands of one program in documents, workflows and scripts, each as its list of arguments. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";

export interface ShellCommand {
  readonly file: string;
  readonly arguments: readonly string[];
}

/** Shell text by file: whole scripts, `run` of workflows and azure.yaml, blocks and code in lines of documents. */
function shellTexts(): { file: string; text: string }[] {
  const scripts = ["infra/hooks", "infra/scripts"].flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name)),
  );
  const workflows = readdirSync(".github/workflows").map((name) => join(".github/workflows", name));
  const documents = readdirSync(".", { recursive: true, encoding: "utf8" }).filter(
    (name) => /^(docs\/|infra\/)?[\w./-]*\.md$/.test(name) && !name.includes("node_modules"),
  );
  return [
    ...scripts.map((file) => ({ file, text: readFileSync(file, "utf8") })),
    ...[...workflows, "azure.yaml"].map((file) => ({
      file,
      text: runsOf(parse(readFileSync(file, "utf8"))).join("\n"),
    })),
    ...documents.map((file) => ({ file, text: codeOf(readFileSync(file, "utf8")) })),
  ];
}

/** The values of all `run` keys of a YAML document. */
function runsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(runsOf);
  const object = z.record(z.string(), z.unknown()).safeParse(value);
  if (!object.success) return [];
  return Object.entries(object.data).flatMap(([key, entry]) =>
    key === "run" && typeof entry === "string" ? [entry] : runsOf(entry),
  );
}

/** Shell blocks and code in lines. A value that a reader puts in, such as <group>, is written as a word. */
function codeOf(markdown: string): string {
  const blocks = [...markdown.matchAll(/```(?:sh|bash|console)\n([\s\S]*?)```/g)].map(
    ([, code]) => code ?? "",
  );
  const prose = markdown.replaceAll(/```[\s\S]*?```/g, "");
  const inLines = [...prose.matchAll(/`([^`]+)`/g)].map(([, code]) => (code ?? "").replaceAll("\n", " "));
  return [...blocks, ...inLines].join("\n").replaceAll(/<[\w ./'-]+>/g, "PLACEHOLDER");
}

/** Cuts shell text into commands, each a list of words without quotes; what stands in `$( )` is a command too. */
function commandsOf(text: string): string[][] {
  const commands: string[][] = [[]];
  let word: string | undefined;
  let quote = "";
  const endWord = (): void => {
    if (word !== undefined) commands.at(-1)?.push(word);
    word = undefined;
  };
  const endCommand = (): void => {
    endWord();
    commands.push([]);
  };
  const characters = text.replaceAll(/\\\n\s*/g, " ").replaceAll(/^\s*#.*$/gm, "");
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    const isCall = quote !== "'" && character === "$" && characters[at + 1] === "(";
    if (isCall) {
      word = `${word ?? ""}VALUE`;
      const end = endOfCall(characters, at + 2);
      commands.splice(-1, 0, ...commandsOf(characters.slice(at + 2, end)));
      at = end;
    } else if (quote !== "") {
      if (character === quote) quote = "";
      else if (quote === '"' && character === "\\") {
        at += 1;
        word = (word ?? "") + (characters[at] ?? "");
      } else word = (word ?? "") + character;
    } else if (character === "'" || character === '"') {
      quote = character;
      word ??= "";
    } else if (/[\n;|&(){}]/.test(character)) endCommand();
    else if (/\s/.test(character)) endWord();
    else word = (word ?? "") + character;
  }
  endCommand();
  return commands;
}

function endOfCall(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === "(") depth += 1;
    if (text[at] === ")") depth -= 1;
    if (depth === 0) return at;
  }
  return text.length;
}

const before = new Set(["if", "!", "until", "while", "do", "then", "else", "exec", "local"]);

/** Every command of a program that documents, workflows and scripts name with its arguments. */
export function commandsNaming(program: string): ShellCommand[] {
  return shellTexts().flatMap(({ file, text }) =>
    commandsOf(text).flatMap((words) => {
      const rest = words.filter((word, index) => !(before.has(word) && index < 3) && !/^\w+=/.test(word));
      const [name, ...others] = rest[0] === program ? rest : words.slice(words.indexOf(program));
      // Redirections are the shell's own.
      const redirected = others.findIndex((word) => /^[0-9]?[<>]/.test(word));
      const given = redirected === -1 ? others : others.slice(0, redirected);
      return name === program && words.indexOf(program) <= 2 && given.length > 0
        ? [{ file, arguments: given }]
        : [];
    }),
  );
}
