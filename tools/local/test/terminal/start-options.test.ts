/** The options of `npm start`: accepted values, and one line for a refused one. */
import { expect, test } from "vitest";
import { readStartOptions } from "../../terminal/start-options.ts";

/** Reads options, and returns what is printed to standard output and standard error. */
function read(args: readonly string[]) {
  const printed = { output: "", errors: "" };
  const options = () =>
    readStartOptions(args, {
      print: (text) => void (printed.output += text),
      remark: (text) => void (printed.errors += text),
      exit: (code) => {
        throw new Error(`exit ${code}`);
      },
    });
  return { options, printed };
}

test("The help explains the command and each option", () => {
  const { options, printed } = read(["--help"]);
  expect(options).toThrow("exit 0");
  const [, about, list = ""] = printed.output.trimEnd().split("\n\n");
  expect(about).toMatch(/^Runs .*\.$/);
  const entries = list.split(/\n(?= {2}\S)/).slice(1);
  expect(entries).toHaveLength(9);
  for (const entry of entries) expect(entry).toMatch(/^ {2}\S.* {2,}[A-Z][^]+\.$/);
});

test("Options can be repeated, and a copied origin may end in a slash", () => {
  const settings = ["--set", "MAX_VMR=3", "--set", "AzureWebJobs.provisionRoom.Disabled=true"];
  const without = ["--set", "POOL_MINIMUM="];
  const origins = ["--origin", "http://localhost:3000/", "--origin", "https://widget.example.com"];
  expect(read([...settings, ...without, ...origins, "--port", "1"]).options()).toMatchObject({
    set: { MAX_VMR: "3", "AzureWebJobs.provisionRoom.Disabled": "true", POOL_MINIMUM: "" },
    origin: ["http://localhost:3000", "https://widget.example.com"],
    port: 1,
  });
});

const set = "option '--set <NAME=value>':";
const noSetting = "There is no setting MAX_ROOMS. Settings are listed in docs/reference.md.";
const remote = "DefaultEndpointsProtocol=https;AccountName=prod";

test.each([
  { given: "--prot", says: "unknown option '--prot' (Did you mean --port?)" },
  { given: "--port=70000", says: "option '--port <number>': It must be a whole number from 1 to 65535." },
  { given: "--set=MAX_ROOMS=1", says: `${set} ${noSetting}` },
  { given: "--set=MAX_VMR=many", says: `${set} MAX_VMR must be a whole number from 0 to 10000.` },
  { given: "--set=MAX_VMR", says: `${set} It must be NAME=value.` },
  { given: "--set==MAX_VMR=3", says: `${set} It must be NAME=value.` },
  { given: "--set=MAX_VMR=", says: `${set} MAX_VMR needs a value here.` },
  {
    given: `--set=AzureWebJobsStorage=${remote}`,
    says: `${set} AzureWebJobsStorage must be an Azurite on this computer.`,
  },
  { given: "--set=AUTH_TENANT_ID=2", says: `${set} npm start sets AUTH_TENANT_ID itself.` },
  {
    given: "7071",
    says: "too many arguments. Expected 0 arguments but got 1: 7071. Write options after `npm start --`.",
  },
  {
    given: "--origin=http://localhost:3000/page",
    says: "option '--origin <url>': It must be an origin, such as http://localhost:3000, without a path.",
  },
])("The option $given is refused in one line, and the command ends with 2", ({ given, says }) => {
  const { options, printed } = read([given]);
  expect(options).toThrow("exit 2");
  expect(printed.errors).toBe(`npm start: ${says} See npm start -- --help.\n`);
});
