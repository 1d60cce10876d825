/** Values of `uuiData` that the gateway refuses, of every kind, each with a secret that must not reach the log. */

export const canary = "canary-tag";

const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");
const url = `https://verify.example.com/${canary}`;

/** Queries by their fault. */
export const refusedUuiData: Readonly<Record<string, string>> = {
  "more than 4,096 characters": `uuiData=${hex(url.repeat(60))}`,
  "another encoding": `uuiData=${hex(url)};encoding=${canary}`,
  "no hexadecimal digits": `uuiData=${encodeURIComponent(url)}`,
  "no characters": "uuiData=",
  "an odd number of digits": `uuiData=${hex(url)}6`,
  "no UTF-8": `uuiData=${hex(url)}c328`,
  "a control character": `uuiData=${hex(`${url}\u0007`)}`,
  "a URL with credentials": `uuiData=${hex(`https://${canary}:x@verify.example.com/`)}`,
  "a URL with a space": `uuiData=${hex(`${url} x`)}`,
  "a URL without a host": `uuiData=${hex(`https://:${canary}`)}`,
  "another scheme": `uuiData=${hex(`ftp://verify.example.com/${canary}`)}`,
  "no path token": `uuiData=${hex(`../${canary}`)}`,
  "a tag of more than 250 characters": `uuiData=${hex(`${url}/${"x".repeat(250)}`)}`,
  "the name in another case": `uuidata=${hex(url)}`,
  "the parameter twice": `uuiData=${hex(url)}&uuiData=${hex(canary)}`,
};
