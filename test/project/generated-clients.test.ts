/** Clients that are generated from the API document compile in strict mode, and their types fit what callers do. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "generated-clients-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Usage {
  readonly name: string;
  readonly code: string;
  /** The compiler's message, or undefined if the code compiles. */
  readonly error?: string;
}

/** The same uses of each generator's names for the types of bodies. */
function usesOfTypes(imports: string): Usage[] {
  return [
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
      name: "reads fields of the full shape once the constrained one is excluded",
      code: `export const limit = (room: Read): number | null | undefined =>
        "resource_uri" in room ? room.participant_limit : undefined;
      export const tag = (room: Read): string | null | undefined => room.tag;`,
    },
    {
      name: "cannot take the guest PIN of any shape as a string",
      code: `export const pin = (room: Read): string => room.guest_pin;`,
      error: "error TS2322: Type 'string | null | undefined' is not assignable to type 'string'",
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
    ...["id: 5", 'name: "x"', "aliases: []", 'resource_uri: "x"', 'creation_time: "2026-01-01"'].map(
      (field) => ({
        name: `cannot send ${field} in a change`,
        code: `export const change: Update = { pin: "1234", ${field} };`,
        error: `error TS2353: Object literal may only specify known properties, and '${field.split(":")[0]}'`,
      }),
    ),
    {
      name: "cannot change the name of a room that was read",
      code: `export const rename = (room: Full) => { room.name = "x"; };`,
      error: "error TS2540: Cannot assign to 'name' because it is a read-only property",
    },
  ].map((usage) => ({ ...usage, code: `${imports}\n${usage.code}\n` }));
}

const openapiTypescript = usesOfTypes(`
  import type { components, operations } from "./openapi-typescript.ts";
  export type Body<Id extends "create_room_from_queue" | "get_room" | "get_public_room"> =
    operations[Id]["responses"][200]["content"]["application/json"];
  export type Created = Body<"create_room_from_queue">;
  export type Read = Body<"get_room">;
  export type PublicRead = Body<"get_public_room">;
  export type Full = components["schemas"]["Conference"];
  export type Update = operations["update_room"]["requestBody"]["content"]["application/json"];`);

const heyApi = usesOfTypes(`
  import type * as api from "./hey-api/index.ts";
  export type Created = api.CreateRoomFromQueueResponse;
  export type Read = api.GetRoomResponse;
  export type PublicRead = api.GetPublicRoomResponse;
  export type Full = api.Conference;
  export type Update = api.UpdateRoomData["body"];`);

const heyApiCalls: Usage[] = [
  {
    name: "creates a room and returns its guest PIN or the text of the error",
    code: `import { createRoomFromQueue } from "./hey-api/index.ts";
      export async function create(key: string): Promise<string | undefined> {
        const { data } = await createRoomFromQueue({
          query: { uuiData: "7831;encoding=hex" },
          headers: { "idempotency-key": key },
        });
        return data?.guest_pin;
      }`,
  },
  {
    name: "cannot call updateRoom with a field that is read-only",
    code: `import { updateRoom } from "./hey-api/index.ts";
      export const rename = async () => updateRoom({ path: { room_name: "x" }, body: { name: "y" } });`,
    error: "error TS2353: Object literal may only specify known properties, and 'name'",
  },
];

const uses = [
  ...openapiTypescript.map((usage) => ({ ...usage, generator: "openapi-typescript" })),
  ...[...heyApi, ...heyApiCalls].map((usage) => ({ ...usage, generator: "@hey-api/openapi-ts" })),
].map((usage, index) => ({ ...usage, file: `usage-${index}.ts` }));

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  target: "es2022",
  module: "esnext",
  moduleResolution: "bundler",
  allowImportingTsExtensions: true,
  lib: ["es2022", "dom", "dom.iterable"],
  types: [],
};

let messages: readonly string[] = [];

beforeAll(async () => {
  await run(process.execPath, ["test/support/generators/generate.ts", folder], { cwd: root });
  for (const { file, code } of uses) writeFileSync(join(folder, file), code);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }));
  const compiler = fileURLToPath(import.meta.resolve("typescript/package.json"));
  const tsc = join(compiler, "..", "bin", "tsc");
  const compiled = await run(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
    cwd: folder,
  }).catch((error: unknown) => error);
  const { stdout } = compiled as { readonly stdout: string };
  // Further lines of a message are indented.
  messages = stdout.split("\n").filter((line) => /^\S/.test(line));
}, 60_000);

test("Generated clients compile in strict mode", () => {
  expect(messages.filter((message) => !message.startsWith("usage-"))).toEqual([]);
});

describe.each(["openapi-typescript", "@hey-api/openapi-ts"])("A user of the client of %s", (generator) => {
  test.each(uses.filter((usage) => usage.generator === generator))("$name", ({ file, error }) => {
    const found = messages.filter((message) => message.startsWith(`${file}(`));
    const shortened = found.map((message) => (error && message.includes(error) ? error : message));
    expect(shortened).toEqual(error === undefined ? [] : [error]);
  });
});
