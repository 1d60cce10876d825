/** Route templates: which paths they take and what they make of them. */
import { expect, test } from "vitest";
import { matchRoute, parseRouteTemplate } from "../../../host/http/route-template.ts";

test.each([
  ["room/{name}", "/room/a", { name: "a" }],
  ["room/{name}", "/ROOM/a", { name: "a" }],
  ["room/{name}", "/room/a/", { name: "a" }],
  ["room/{name}", "/room/a/b", undefined],
  ["room/{name}", "/room", undefined],
  ["a/{x}/b/{y}", "/a/1/b/2", { x: "1", y: "2" }],
  ["a/{x}/b/{y}", "/a//b/2", undefined],
  ["{x:regex(^\\d{{3}}$)}", "/123", { x: "123" }],
  ["{x:regex(^\\d{{3}}$)}", "/12", undefined],
  ["{x:regex(^\\d{{3}}$)}", "/{3}", undefined],
  ["{x:regex(^(?!list$|bulk$).+$)}", "/lists", { x: "lists" }],
  ["{x:regex(^(?!list$|bulk$).+$)}", "/LIST", undefined],
  ["{x:regex(^(?!list$|bulk$).+$)}", "/bulk", undefined],
  ["{x:regex(^(a:b|c)$)}/d", "/a:b/d", { x: "a:b" }],
  ["{x:regex(^(a:b|c)$)}/d", "/a/d", undefined],
])("The template %s takes %s as %j", (template, path, expected) => {
  expect(matchRoute(parseRouteTemplate(template), path)).toEqual(expected);
});

test.each(["{x", "a{x}", "{x}.json", "{}", "a//b", "{x:int}", "{x?}", "{*x}", "{x=5}", "{x{y}}"])(
  "The template %s is refused",
  (template) => {
    expect(() => parseRouteTemplate(template)).toThrow(/route/i);
  },
);
