/**
 * The style of an exported page. The page's policy allows this text and no other, by its hash: a test
 * says the new one when a letter of it changes.
 */

/** SHA-256 of {@link HTML_STYLE}, as a policy names it. */
export const HTML_STYLE_HASH = "sha256-wWm2TVEu3LouZV5WV12aKy+07BDEU3QFXaxN2vh+y9M=";

/** The whole style of the page. */
export const HTML_STYLE = `
:root { color-scheme: light dark; --page: #f5f6f8; --surface: #fff; --raised: #eef1f4; --ink: #171b20; --muted: #5a6470;
  --line: #d9dee4; --accent: #0b57d0; --bad: #b3261e; --user: #fdf3dc; --edge: #b97a00; }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #0e1115; --surface: #161a20; --raised: #1f252d; --ink: #e5e9ee; --muted: #98a3b0; --line: #2b333d;
    --accent: #82b4ff; --bad: #ff8a80; --user: #2f2612; --edge: #e8b84f; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.55 system-ui, sans-serif; }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 .75rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 0 1rem; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; }
nav { margin-bottom: 1.5rem; }
nav details { background: var(--surface); }
nav ol { margin: 0; padding: .25rem .9rem .75rem; list-style: none; columns: 24rem; }
nav li { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
a { color: var(--accent); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
article { background: var(--surface); border: 1px solid var(--line); border-radius: .5rem; margin: .75rem 0; padding: .6rem .9rem .75rem; }
article.user { background: var(--user); border-left: 3px solid var(--edge); }
article.taken-back { opacity: .6; }
article > header { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; font-size: .85rem; color: var(--muted); }
article > header h2 { font-size: .95rem; margin: 0; color: var(--ink); }
article > header a { margin-left: auto; font-family: ui-monospace, monospace; color: var(--muted); }
pre { margin: .4rem 0 0; font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
pre.said { font: inherit; }
details { margin-top: .4rem; border: 1px solid var(--line); border-radius: .35rem; background: var(--raised); }
summary { cursor: pointer; padding: .25rem .6rem; font-size: .85rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
summary .what { font-weight: 600; }
summary .size, summary .first { color: var(--muted); margin-left: .6rem; }
summary .first { font-family: ui-monospace, monospace; }
details.error > summary .what { color: var(--bad); }
details > pre { margin: 0; padding: .5rem .6rem; border-top: 1px solid var(--line); background: var(--surface); border-radius: 0 0 .35rem .35rem; }
details.thinking > pre { font: inherit; font-style: italic; }
p.note { color: var(--muted); font-size: .85rem; text-align: center; margin: .75rem 0; overflow-wrap: anywhere; }
footer { color: var(--muted); font-size: .8rem; text-align: center; margin-top: 2rem; }
:target { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 36rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .35rem; } }
@media print { body { background: none; } article { break-inside: avoid-page; } nav { display: none; } }
`;
