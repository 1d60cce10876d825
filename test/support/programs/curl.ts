/** `curl` with the options of this project's curl lines. Another option is an error. */
import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

const flag = { type: "boolean" } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { ...flag, short: "s" },
    "show-error": { ...flag, short: "S" },
    include: { ...flag, short: "i" },
    fail: { ...flag, short: "f" },
    request: { type: "string", short: "X" },
    header: { type: "string", short: "H", multiple: true, default: [] },
    data: { type: "string", short: "d", multiple: true },
    output: { type: "string", short: "o" },
    "write-out": { type: "string", short: "w", default: "" },
    retry: { type: "string", default: "0" },
    "retry-delay": { type: "string", default: "1" },
    "retry-all-errors": flag,
  },
});
const [url = "", ...more] = positionals;
if (more.length > 0) throw new Error(`curl: too many URLs: ${positionals.join(" ")}`);

const body = values.data?.join("&");
const headers = new Headers(
  values.header.map((line): [string, string] => [line.replace(/:.*/s, ""), line.replace(/^[^:]*:/, "")]),
);
if (body !== undefined && !headers.has("content-type"))
  headers.set("content-type", "application/x-www-form-urlencoded");
const method = values.request ?? (body === undefined ? "GET" : "POST");

let response: Response;
let isFailure: boolean;
for (let retries = Number(values.retry); ; retries -= 1) {
  response = await fetch(url, { method, headers, body: body ?? null, redirect: "manual" });
  isFailure = values.fail === true && response.status >= 400;
  if (!isFailure || !values["retry-all-errors"] || retries === 0) break;
  await delay(Number(values["retry-delay"]) * 1000);
}
const head = [
  `HTTP/1.1 ${response.status} ${response.statusText}`,
  ...Array.from(response.headers, (header) => header.join(": ")),
  "\r\n",
];
if (isFailure) process.exitCode = 22;
else {
  const content = [Buffer.from(values.include ? head.join("\r\n") : ""), await response.bytes()];
  if (values.output === undefined) process.stdout.write(Buffer.concat(content));
  else writeFileSync(values.output, Buffer.concat(content));
}
process.stdout.write(values["write-out"].replaceAll("\\n", "\n"));
