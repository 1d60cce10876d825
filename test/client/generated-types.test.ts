/** The types that are generated from the API document compile in strict mode, and fit what callers do. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeClientTypes } from "../../tools/scripts/client-types.ts";

interface Usage {
  readonly name: string;
  readonly code: string;
  /** The compiler's message, or undefined if the code compiles. */
  readonly error?: string;
}

const generated = fileURLToPath(new URL("../../client/src/openapi.ts", import.meta.url));
const types = `
  import type { components, operations } from ${JSON.stringify(generated)};
  type Body<Id extends "create_room_from_queue" | "get_room" | "get_public_room"> =
    operations[Id]["responses"][200]["content"]["application/json"];
  export type Created = Body<"create_room_from_queue">;
  export type Read = Body<"get_room">;
  export type PublicRead = Body<"get_public_room">;
  export type Full = components["schemas"]["Conference"];
  export type Update = operations["update_room"]["requestBody"]["content"]["application/json"];`;

const usages: readonly Usage[] = [
  {
    name: "takes the guest PIN of a created room as a string, and its id as a number",
    code: `export const facts = ({ guest_pin, id }: Created): [string, number] => [guest_pin, id];`,
  },
  {
    name: "finds no host PIN in a created room",
    code: `export const pin = (room: Created) => room.pin;`,
    error: "error TS2339: Property 'pin' does not exist",
  },
  {
    name: "takes guest PIN, host PIN and tag of a room as strings once the full shape is excluded",
    code: `export const pins = (room: Read): string[] =>
      "resource_uri" in room ? [] : [room.guest_pin, room.pin, room.tag];`,
  },
  {
    name: "finds no host PIN in the constrained shape of a public room",
    code: `export const pin = (room: PublicRead) => "resource_uri" in room ? null : room.pin;`,
    error: "error TS2339: Property 'pin' does not exist",
  },
  {
    name: "changes fields of a room, also its tag and its theme",
    code: `export const change: Update =
      { participant_limit: 4, tag: null, ivr_theme: [{ resource_uri: "/theme/1/" }] };`,
  },
  {
    name: "cannot send a read-only field in a change",
    code: `export const change: Update = { pin: "1234", creation_time: "2026-01-01" };`,
    error: "error TS2353: Object literal may only specify known properties, and 'creation_time'",
  },
  {
    name: "cannot change the name of a room that was read",
    code: `export const rename = (room: Full) => { room.name = "x"; };`,
    error: "error TS2540: Cannot assign to 'name' because it is a read-only property",
  },
];

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  target: "es2022",
  module: "esnext",
  moduleResolution: "bundler",
  allowImportingTsExtensions: true,
  lib: ["es2022"],
  types: [],
};

let folder = "";
let messages: readonly string[] = [];

beforeAll(async () => {
  await writeClientTypes();
  folder = await mkdtemp(join(tmpdir(), "generated-types-"));
  for (const [index, { code }] of usages.entries())
    await writeFile(join(folder, `usage-${index}.ts`), `${types}\n${code}\n`);
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const tsc = fileURLToPath(new URL("../../node_modules/.bin/tsc", import.meta.url));
  const compiled = await promisify(execFile)(tsc, ["-p", folder, "--pretty", "false"], { cwd: folder }).catch(
    (error: unknown) => error,
  );
  const { stdout } = compiled as { readonly stdout: string };
  // Further lines of a message are indented.
  messages = stdout.split("\n").filter((line) => /^\S/.test(line));
});

afterAll(async () => rm(folder, { recursive: true, force: true }));

test("The generated types compile in strict mode", () => {
  expect(messages.filter((message) => !message.startsWith("usage-"))).toEqual([]);
});

test.each(usages.map((usage, index) => ({ ...usage, file: `usage-${index}.ts` })))(
  "A user of the types $name",
  ({ file, error }) => {
    const found = messages.filter((message) => message.startsWith(`${file}(`));
    const shortened = found.map((message) => (error && message.includes(error) ? error : message));
    expect(shortened).toEqual(error === undefined ? [] : [error]);
  },
);
