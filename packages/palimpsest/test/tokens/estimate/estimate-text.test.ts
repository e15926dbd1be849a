import fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "#test/helpers/any-character.ts";
import { estimateText } from "#tokens/estimate/character-automaton.ts";

/** Reference tokens to o200k, as measured on recorded agent texts. */
const O200K_RATIO = 0.87;

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 400 }),
  fc.string({ unit: "grapheme", maxLength: 400 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 })
    .map((codes) => String.fromCharCode(...codes)),
);

describe("estimateText", () => {
  it("takes nothing for nothing", () => {
    expect(estimateText("")).toBe(0);
  });

  it("gives a finite figure, not negative, for any text, lone surrogates included", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const tokens = estimateText(text);
        expect(Number.isFinite(tokens) && tokens >= 0).toBe(true);
        expect(tokens).toBeLessThanOrEqual(text.length * 2.5);
      }),
      { numRuns: 500 },
    );
  });

  it("never shrinks as a text grows, and hardly cares where a text is cut", () => {
    fc.assert(
      fc.property(anyText, anyText, (left, right) => {
        const whole = estimateText(left + right);
        expect(whole).toBeGreaterThanOrEqual(estimateText(left));
        expect(Math.abs(whole - estimateText(left) - estimateText(right))).toBeLessThanOrEqual(12);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    { text: PROSE(), short: 0.15, long: 0.15, why: "English prose" },
    { text: CODE(), short: 0.15, long: 0.15, why: "TypeScript" },
    { text: JSON.stringify(DATA()), short: 0.2, long: 0.2, why: "JSON without white space" },
    { text: JSON.stringify(DATA(), null, 8), short: 0.2, long: 0.2, why: "JSON, deeply indented" },
    {
      text: "错误：找不到文件。请检查路径是否正确，然后重新运行测试。".repeat(8),
      short: 0.1,
      long: 0.6,
      why: "Chinese",
    },
    {
      text: "ファイルが見つかりません。パスを確認してから、もう一度実行してください。".repeat(8),
      short: 0.1,
      long: 0.6,
      why: "Japanese",
    },
    {
      text: "파일을 찾을 수 없습니다. 경로를 확인한 다음 테스트를 다시 실행하세요.".repeat(8),
      short: 0.1,
      long: 0.6,
      why: "Korean",
    },
    {
      text: "Файл не найден. Проверьте путь и запустите тесты ещё раз.".repeat(8),
      short: 0.1,
      long: 0.6,
      why: "Russian",
    },
    {
      text: "Το αρχείο δεν βρέθηκε. Ελέγξτε τη διαδρομή και δοκιμάστε ξανά.".repeat(8),
      short: 0.1,
      long: 0.6,
      why: "Greek",
    },
    {
      text: "Die Datei wurde nicht gefunden. Prüfen Sie den Pfad und führen Sie die Tests erneut aus.".repeat(
        8,
      ),
      short: 0.25,
      long: 0.25,
      why: "German",
    },
    { text: "4f2a9c81e07bd3356aa0f1c2d98e7b64".repeat(20), short: 0.3, long: 0.3, why: "hexadecimal" },
    { text: BASE64(), short: 0.3, long: 0.3, why: "base64" },
    { text: "✅ 🚀 🎉 ❌ ⚠️ 🔥 ".repeat(40), short: 0.1, long: 0.6, why: "emoji" },
    { text: "12345 67890 31415 92653 ".repeat(40), short: 0.3, long: 0.3, why: "numbers" },
  ])("is at most $short short of o200k and $long beyond it on $why", ({ text, short, long }) => {
    // Beyond ASCII the weights stand between o200k and Anthropic's denser tables, hence the room upwards.
    const error = (estimateText(text) * O200K_RATIO) / countTokens(text) - 1;
    expect(error).toBeGreaterThanOrEqual(-short);
    expect(error).toBeLessThanOrEqual(long);
  });

  it("finds a run of one character cheap, and deep indentation nearly free", () => {
    expect(estimateText("─".repeat(400))).toBeLessThan(150);
    expect(estimateText(" ".repeat(400))).toBeLessThan(15);
    expect(estimateText("=".repeat(400))).toBeLessThan(40);
  });
});

function PROSE(): string {
  return (
    "The window is a projection of the transcript, and nothing that was ever said is lost. " +
    "When the conversation grows beyond what the model can read, older results are set aside and a short note " +
    "says where they can be found. People forget why a decision was made; the log does not. "
  ).repeat(6);
}

function CODE(): string {
  return `
export function parseRange(text: string): Range | undefined {
  const match = /^(\\d+)-(\\d+)$/.exec(text.trim());
  if (match === null) return undefined;
  const [start, end] = [Number(match[1]), Number(match[2])];
  return start <= end ? { start, end } : undefined;
}

for (const [index, item] of items.entries()) {
  if (!seenIds.has(item.id)) results.push({ ...item, position: index + 1 });
}
`.repeat(6);
}

function DATA(): unknown {
  return Array.from({ length: 12 }, (_, index) => ({
    id: `item-${index}`,
    name: "Example entry",
    isActive: index % 2 === 0,
    metrics: { count: index * 37, ratio: 0.25, tags: ["alpha", "beta"] },
  }));
}

function BASE64(): string {
  let seed = 7;
  const bytes = Array.from({ length: 900 }, () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fff_ffff;
    return (seed >> 16) & 0xff;
  });
  return Buffer.from(bytes).toString("base64");
}
