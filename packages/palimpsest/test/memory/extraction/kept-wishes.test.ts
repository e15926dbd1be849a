/** Wishes whose first words are those of a remark, a supposition or hearsay; and such remarks, which are not kept. */
import { expect, it } from "vitest";
import { extractByRules } from "#memory/extraction/rule-extractor.ts";

const keptOf = (text: string): readonly string[] =>
  extractByRules([
    { id: "m0", message: { role: "user", origin: "user", content: [{ type: "text", text }] } },
  ]).proposals.map(({ body }) => body);

it.each([
  "Never store that file in git.",
  "Never save it as JSON, always use YAML.",
  "Always have a backup before a migration.",
  "From now on this project uses pnpm.",
  "From now on there should be no emojis.",
  "Going forward they should be named in kebab-case.",
  "If we moved a file, always update the imports.",
  "I saw that you used tabs, always use spaces.",
  "I read your tests, and always add a case for empty input.",
  "Ab sofort gibt es keine Deployments am Freitag.",
  "Ab jetzt wird alles auf Englisch dokumentiert.",
  "A partir de ahora hay que usar pnpm.",
  "De ahora en adelante todo en español.",
  "Nunca se suben claves al repositorio.",
  "Siempre se usa pnpm en este proyecto.",
  "Siempre nos reunimos los lunes.",
])("keeps the wish: %s", (wish) => {
  expect(keptOf(wish)).toEqual([wish]);
});

it.each([
  "Never save that.",
  "Never save that I live in Rome.",
  "Never have I seen such a mess.",
  "From now on it's downhill, only two bugs left.",
  "If we were a bank, we would always encrypt twice.",
  "I read somewhere that one should always use tabs.",
  "Ab jetzt wird es leicht, nur noch zwei Fehler.",
  "A partir de ahora es cuesta abajo, quedan dos fallos.",
  "Nunca me acuerdo de su nombre.",
  "Siempre se olvida las llaves.",
])("keeps nothing of: %s", (remark) => {
  expect(keptOf(remark)).toEqual([]);
});
