/** Decoding of request targets, beyond what the observed vectors show. */
import { expect, test } from "vitest";
import { encodePath, flattenQuery, parseRequestTarget } from "../../../host/http/request-target.ts";

test.each([
  ["/a?b=c?d", { path: "/a", query: "?b=c?d" }],
  ["http://example.com/a?b", { path: "/a", query: "?b" }],
  ["http://example.com", { path: "/", query: "" }],
  ["/a/./b/../c", { path: "/a/c", query: "" }],
  ["/../../a", { path: "/a", query: "" }],
  ["/a/..", { path: "/", query: "" }],
  ["/%E2%9C", { path: "/%E2%9C", query: "" }],
  ["/%C0%AF", { path: "/%C0%AF", query: "" }],
  ["/%F0%9F%98%80", { path: "/😀", query: "" }],
  ["*", undefined],
  ["/a b", undefined],
])("%s is %j", (target, expected) => {
  expect(parseRequestTarget(target)).toEqual(expected);
});

test("A path is encoded only where a URL requires it", () => {
  expect(encodePath("/a b/é/😀/100%/%41")).toBe("/a%20b/%C3%A9/%F0%9F%98%80/100%25/%41");
});

test("Empty pairs of a query are skipped", () => {
  expect([...flattenQuery("?&a=1&&b")]).toEqual([
    ["a", "1"],
    ["b", ""],
  ]);
});
