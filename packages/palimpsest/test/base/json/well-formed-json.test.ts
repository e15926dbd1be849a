/** JSON without half characters: what every request is checked for. */
import { expect, it } from "vitest";
import { type JsonValue, wellFormedJson } from "#base/json/json.ts";

it.each<JsonValue>([
  "wide \ud83d\ude00",
  [1, Number.NaN, [null, { a: [true, "b"] }]],
  { tools: [{ name: "Read", input_schema: { properties: { path: { type: "string" } } } }] },
])("wellFormedJson gives %j back as it is, uncopied", (value) => {
  expect(wellFormedJson(value)).toBe(value);
});

it("wellFormedJson replaces half a character in a value and in a name, at any depth", () => {
  const value = { a: [{ "b\ud83d": "c\ude00" }, "\ud83d\ude00"], n: 1, no: null };
  expect(wellFormedJson<JsonValue>(value)).toEqual({
    a: [{ "b\ufffd": "c\ufffd" }, "\ud83d\ude00"],
    n: 1,
    no: null,
  });
});
