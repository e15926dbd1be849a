/**
 * Phrases by which a sentence is known to report a finding or a decision, or only to announce a next step.
 *
 * The lists have some languages; in others a sentence counts by its place in the answer. Words of scripts without
 * blanks, and of scripts that `\b` does not know, are looked for anywhere.
 */

const ENGLISH_FINDINGS = [
  "root cause",
  "because",
  "the (?:issue|problem|bug|reason|fix|cause)",
  "turns out",
  "caused by",
  "due to",
  "found (?:it|that|the)",
  "actually",
  "instead of",
  "rather than",
  "decided",
  "decision",
  "chose",
  "so we",
  "this means",
  "works? now",
  "fixed",
  "resolved",
  "limitation",
  "trade-?off",
  "must not",
  "should not",
  "won't work",
  "doesn't work",
  "important",
  "note that",
  "regression",
];
const ENGLISH_FINDING = new RegExp(`\\b(?:${ENGLISH_FINDINGS.join("|")})\\b`, "i");
const LATIN_FINDINGS = [
  ...[
    "weil",
    "ursache",
    "der grund",
    "liegt an",
    "behoben",
    "gelöst",
    "entschieden",
    "stattdessen",
    "tatsächlich",
  ],
  ...["parce que", "à cause", "en raison", "corrigé", "résolu", "décidé", "au lieu", "en fait"],
  ...["porque", "debido a", "devido a", "la causa", "a causa", "en lugar de", "em vez de", "en realidad"],
  ...[
    "corregid[oa]",
    "corrigid[oa]",
    "resuelt[oa]",
    "resolvid[oa]",
    "decidimos",
    "el problema",
    "o problema",
  ],
];
const OTHER_FINDINGS = [
  ...[
    "原因",
    "因为",
    "因為",
    "由于",
    "由於",
    "导致",
    "導致",
    "发现",
    "發現",
    "其实",
    "其實",
    "实际上",
    "實際上",
  ],
  ...[
    "修复了",
    "已修复",
    "已修復",
    "已解决",
    "已解決",
    "决定",
    "決定",
    "改为",
    "改為",
    "而不是",
    "问题是",
    "問題是",
  ],
  ...[
    "判明",
    "わかりました",
    "分かりました",
    "実は",
    "実際",
    "ではなく",
    "代わりに",
    "修正しました",
    "解決しました",
  ],
  ...["ためです", "問題は", "理由は", "変更しました"],
  ...["원인", "때문", "문제는", "문제가", "해결했", "해결됐", "수정했", "결정", "대신", "실제로", "발견"],
  ...[
    "потому что",
    "причин",
    "из-за",
    "исправлен",
    "исправил",
    "решил",
    "вместо",
    "на самом деле",
    "проблема в",
  ],
  ...["оказал", "ошибка в"],
];
const OTHER_FINDING = new RegExp(
  `(?<![\\p{L}\\p{N}_])(?:${LATIN_FINDINGS.join("|")})(?![\\p{L}\\p{N}_])|${OTHER_FINDINGS.join("|")}`,
  "iu",
);

const ENGLISH_OPENING =
  /^(?:let me|now (?:let|i)|i'll|let's|next,|first,|now |good|great|perfect|excellent|ok|okay|sure|you're right|done)\b/i;
const LATIN_OPENINGS = [
  ...["ich werde", "lass mich", "jetzt", "zuerst", "als nächstes", "perfekt"],
  ...["je vais", "maintenant", "d'abord", "parfait"],
  ...["voy a", "ahora", "primero", "perfecto", "vou", "agora", "primeiro", "perfeito", "vamos"],
];
const OTHER_OPENINGS = [
  ...[
    "让我",
    "讓我",
    "我来",
    "我來",
    "我先",
    "现在",
    "現在让",
    "接下来",
    "接下來",
    "首先",
    "好的",
    "好，",
    "下面",
  ],
  ...["まず", "次に", "では", "それでは", "了解", "承知", "はい", "続いて", "続けて"],
  ...["먼저", "이제", "다음", "좋습니다", "네,"],
  ...["теперь", "сейчас", "давайте", "сначала", "отлично", "хорошо", "понял"],
];
/** The verb of what comes next, where it ends the sentence. */
const ENDINGS = "(?:します|しましょう|ていきます|ておきます|てみます|겠습니다|할게요)[.。！!]?$";
const OTHER_ANNOUNCEMENT = new RegExp(
  `^(?:${LATIN_OPENINGS.join("|")})(?![\\p{L}\\p{N}_])|^(?:${OTHER_OPENINGS.join("|")})|${ENDINGS}`,
  "iu",
);

/** True if a sentence has words of a finding or a decision. */
export const reportsFinding = (sentence: string): boolean =>
  ENGLISH_FINDING.test(sentence) || OTHER_FINDING.test(sentence);

/** True if a sentence announces what the assistant does next. */
export const announcesStep = (sentence: string): boolean =>
  ENGLISH_OPENING.test(sentence) || OTHER_ANNOUNCEMENT.test(sentence);
