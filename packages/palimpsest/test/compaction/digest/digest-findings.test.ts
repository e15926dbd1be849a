/** Sentences that report findings, and those that only announce a next step, in several languages. */
import { expect, it } from "vitest";
import { type DigestFinding, factualSentences, recordFinding } from "#compaction/digest/digest-findings.ts";

function findingsOf(text: string): readonly DigestFinding[] {
  const found: DigestFinding[] = [];
  recordFinding(found, { seq: 1, pointer: "m1.0", text });
  return found;
}

it.each([
  "The lease expired because the clock went backwards.",
  "租约过期的原因是时钟倒退了两秒钟。",
  "租約過期是因為時鐘倒退了兩秒鐘。",
  "リース切れの原因は時計の逆行でした。",
  "임대가 만료된 이유는 시계가 뒤로 갔기 때문이다.",
  "Срок аренды истёк, потому что часы пошли назад.",
  "Die Frist lief ab, weil die Uhr rückwärts ging.",
  "Le bail a expiré parce que l'horloge a reculé.",
  "El plazo venció porque el reloj fue hacia atrás.",
])("keeps a finding wherever it is in the answer: %s", (sentence) => {
  const [first] = findingsOf(`Erste Zeile, die nichts berichtet und lang ist.\n\n${sentence}`);
  expect(first).toMatchObject({ text: sentence, weight: 2 });
});

it.each([
  "Let me look at the scheduler and its retries because they are slow.",
  "让我看一下调度器，因为它的重试太慢了，需要先读代码再说。",
  "まずスケジューラの実装を確認して、実際の再試行の回数を数えます。",
  "먼저 스케줄러를 확인하고 재시도가 왜 느린지 원인을 찾아보겠습니다.",
  "Сейчас посмотрю на планировщик, потому что повторы медленные.",
])("ranks an announcement below a finding: %s", (sentence) => {
  expect(findingsOf(sentence).every(({ weight }) => weight < 2)).toBe(true);
});

it("measures the first sentence of an answer by what it says, not by its characters", () => {
  expect(findingsOf("調度器的重試次數上限設為五次並記錄每次耗時。")).toHaveLength(1);
  expect(findingsOf("The retries are few.")).toEqual([]);
});

it("takes sentences with a name for facts, but no announcements", () => {
  expect(factualSentences("端口改成了 8443。让我检查 config.yaml。")).toEqual(["端口改成了 8443。"]);
});
