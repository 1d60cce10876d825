/** Queries: which parameters are refused before they can be dropped or merged. */
import { expect, test } from "vitest";
import * as z from "zod";
import { readQuery } from "../../../src/lib/http/query.ts";

const schema = z.object({ uuiData: z.string().optional(), max_vmr: z.coerce.number().optional() });
const read = (query: string) => readQuery(schema, new URLSearchParams(query));
const refused = (...faults: [name: string, msg: string][]) => ({
  code: "invalid-request",
  details: {
    faults: faults.map(([name, msg]) => ({
      type: "value_error",
      loc: ["query", name],
      msg: `Value error, ${msg}`,
      ctx: { error: {} },
    })),
  },
});

function failureOf(query: string): unknown {
  try {
    return read(query);
  } catch (error) {
    return error;
  }
}

test("a query with known and unknown parameters is parsed, and unknown ones are ignored, even if repeated", () => {
  expect(read("uuiData=61&max_vmr=2&other=1&other=2&data=x")).toEqual({ uuiData: "61", max_vmr: 2 });
});

test.each([
  ["uuidata", "uuiData"],
  ["UUIDATA", "uuiData"],
  ["uui_data", "uuiData"],
  ["uui-Data", "uuiData"],
  ["_uuiData-", "uuiData"],
  ["maxVmr", "max_vmr"],
  ["max-vmr", "max_vmr"],
  ["MAX_VMR", "max_vmr"],
])("the parameter %s is refused, and the fault names %s", (sent, right) => {
  expect(failureOf(`${sent}=1`)).toMatchObject(refused([sent, `the parameter is called ${right}`]));
  expect(failureOf(`${right}=1&${sent}=1`)).toMatchObject(
    refused([sent, `the parameter is called ${right}`]),
  );
});

test.each(["uuiData=61&uuiData=62", "uuiData=61&uuiData=61", "uuiData=61&uui%44ata=62", "uuiData&uuiData="])(
  "a parameter that is sent twice is refused (%s)",
  (query) => {
    expect(failureOf(query)).toMatchObject(refused(["uuiData", "uuiData must be sent only once"]));
  },
);

test("every refused parameter is reported once", () => {
  expect(failureOf("uuidata=1&uuidata=2&max_vmr=1&max_vmr=2")).toMatchObject(
    refused(["uuidata", "the parameter is called uuiData"], ["max_vmr", "max_vmr must be sent only once"]),
  );
});

test("a value is decoded as a form is: plus signs are spaces, and a lone percent sign stays", () => {
  expect(read("uuiData=a%2B+%20b%26%25%C3%A9%")).toEqual({ uuiData: "a+  b&%é%" });
});
