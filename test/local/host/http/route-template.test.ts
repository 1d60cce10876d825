/** Route templates: which paths they take and what they make of them. */
import { describe, expect, test } from "vitest";
import { matchRoute, parseRouteTemplate } from "../../../../local/host/http/route-template.ts";

function match(template: string, path: string) {
  return matchRoute(parseRouteTemplate(template), path);
}

describe("parameters", () => {
  test.each([
    ["room/{name}", "/room/a", { name: "a" }],
    ["room/{name}", "/ROOM/a", { name: "a" }],
    ["room/{name}", "/room/a/b", undefined],
    ["room/{name}", "/room", undefined],
    ["room/{name?}", "/room", {}],
    ["room/{name?}", "/room/", {}],
    ["room/{name?}", "/room/a", { name: "a" }],
    ["page/{number=5}", "/page", { number: "5" }],
    ["page/{number=5}", "/page/7", { number: "7" }],
    ["files/{*path}", "/files/a/b", { path: "a/b" }],
    ["files/{*path}", "/files", {}],
    ["files/{**path}", "/files/a/b", { path: "a/b" }],
    ["a/{x}/b/{y}", "/a/1/b/2", { x: "1", y: "2" }],
    ["a/{x}/b/{y}", "/a//b/2", undefined],
  ])("%s takes %s as %j", (template, path, expected) => {
    expect(match(template, path)).toEqual(expected);
  });
});

describe("constraints", () => {
  test.each([
    ["{x:int}", ["-12", "2147483647"], ["1.5", "2147483648", "a"]],
    ["{x:alpha}", ["abC"], ["a1"]],
    ["{x:guid}", ["00000000-0000-0000-0000-00000000000a", "0000000000000000000000000000000A"], ["0000"]],
    ["{x:length(2)}", ["ab"], ["a", "abc"]],
    ["{x:length(2,3)}", ["ab", "abc"], ["a", "abcd"]],
    ["{x:minlength(2):maxlength(3)}", ["ab", "abc"], ["a", "abcd"]],
    ["{x:regex(^\\d{{3}}$)}", ["123"], ["12", "{3}"]],
    ["{x:regex(^(?!list$|bulk$).+$)}", ["lists", "a"], ["list", "LIST", "bulk"]],
    ["{x:regex(^(a:b|c)$)}", ["a:b", "c"], ["a"]],
    ["{x:regex(^[a-z]+$):length(2)}", ["ab"], ["abc", "12"]],
  ])("%s", (template, fitting, others) => {
    const takes = (value: string) => match(template, `/${value}`)?.["x"] === value;
    expect(fitting.filter(takes)).toEqual(fitting);
    expect(others.filter(takes)).toEqual([]);
  });

  test("An optional parameter's constraint applies only if the parameter is present", () => {
    expect(match("room/{x:int?}", "/room")).toEqual({});
    expect(match("room/{x:int?}", "/room/7")).toEqual({ x: "7" });
    expect(match("room/{x:int?}", "/room/a")).toBeUndefined();
  });
});

test.each(["{x", "a{x}", "{x}.json", "{}", "a//b", "{x:unknown}", "{x:length(a)}", "{x{y}}"])(
  "%s is refused",
  (template) => {
    expect(() => parseRouteTemplate(template)).toThrow(/route/i);
  },
);
