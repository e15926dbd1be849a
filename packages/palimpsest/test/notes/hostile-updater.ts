/** Requests of an updater that went astray: calls of tools, edits and patches, none of which may have an effect. */
import type { UpdaterCall } from "#notes/permissions.ts";

export const NOTES_PATH = "/srv/ann/.palimpsest/projects/app/s1/notes.md";

const call = (name: unknown, input: unknown): UpdaterCall => ({ name, input });
const edit = (file_path: unknown): UpdaterCall =>
  call("Edit", { file_path, old_string: "- a", new_string: "- b" });

const OTHER_PATHS: readonly unknown[] = [
  ...["", ".", "notes.md", "./notes.md", "~/.palimpsest/projects/app/s1/notes.md", "/etc/passwd"],
  ...[
    "/srv/ann/.palimpsest/projects/app/s1/../s1/notes.md",
    "/srv/ann/.palimpsest/projects/app/s1/./notes.md",
  ],
  ...["/srv/ann/.palimpsest/projects/app/s1//notes.md", "//srv/ann/.palimpsest/projects/app/s1/notes.md"],
  ...["/srv/ann/.palimpsest/projects/app/s1/notes.md/", "/srv/ann/.palimpsest/projects/app/s1/notes.md/.."],
  ...["/srv/ann/.palimpsest/projects/app/s1/../s2/notes.md", "/srv/ann/.palimpsest/projects/app/s2/notes.md"],
  ...[
    "/srv/ann/.palimpsest/projects/app/s1-evil/notes.md",
    "/srv/ann/.palimpsest/projects/app/s1/notes.md.bak",
  ],
  ...["/srv/ann/.palimpsest/projects/app/s1/NOTES.md", "/SRV/ann/.palimpsest/projects/app/s1/notes.md"],
  ...["/srv/ann/.palimpsest/projects/app/s1/notes.md ", " /srv/ann/.palimpsest/projects/app/s1/notes.md"],
  ...["/srv/ann/.palimpsest/projects/app/s1/notes.md\n", "/srv/ann/.palimpsest/projects/app/s1/notes.md\0"],
  ...[
    "/srv/ann/.palimpsest/projects/app/s1/notes.md\0.txt",
    "/srv/ann/.palimpsest/projects/app/s1/n\u200Botes.md",
  ],
  ...[
    "/srv/ann/.palimpsest/projects/app/s1/not\u0435s.md",
    "/srv/ann/.palimpsest/projects/app/s1/notes\uFF0Emd",
  ],
  ...[
    "/srv/ann/.palimpsest/projects/app/s1%2fnotes.md",
    "/srv/ann/.palimpsest/projects/app/s1/%2e%2e/notes.md",
  ],
  ...["/srv/ann/.palimpsest/projects/app/s1/%252e%252e/x", "..\\..\\notes.md", "....//....//notes.md"],
  ...[
    "\\srv\\ann\\.palimpsest\\projects\\app\\s1\\notes.md",
    "C:\\notes.md",
    "\\\\?\\C:\\notes.md",
    "//server/share/notes.md",
  ],
  ...[
    "file:///srv/ann/.palimpsest/projects/app/s1/notes.md",
    "/proc/self/root/srv/ann/.palimpsest/projects/app/s1/notes.md",
  ],
  ...[
    "/proc/self/environ",
    "/dev/zero",
    "/srv/ann/.palimpsest/projects/app/s1.jsonl",
    "/repo/.git/hooks/pre-commit",
  ],
  ...[
    "/srv/ann/.palimpsest/settings.json",
    "/repo/src/notes.md",
    "/srv/ann/.palimpsest/projects/app/s1/notes.md:ads",
  ],
  ...[
    "$HOME/.palimpsest/projects/app/s1/notes.md",
    "`pwd`/notes.md",
    "\u202E/srv/ann/notes.md",
    "CON",
    "x".repeat(100_000),
  ],
  ...[
    `${"a/".repeat(3_000)}notes.md`,
    `${"../".repeat(3_000)}etc/passwd`,
    "\uD800",
    "/srv/ann/../../etc/shadow",
  ],
  ...[undefined, null, 5, true, {}, [], [NOTES_PATH], { toString: () => NOTES_PATH }, new String(NOTES_PATH)],
];

const ON_THE_PATH = { file_path: NOTES_PATH, old_string: "- a", new_string: "- b" };

const OTHER_TOOLS: readonly unknown[] = [
  ...[
    "Write",
    "Bash",
    "Read",
    "MultiEdit",
    "NotebookEdit",
    "Task",
    "WebFetch",
    "mcp__fs__write_file",
    "edit",
    "EDIT",
  ],
  ...["Edit ", "Edit\0", "\u0395dit", "", "constructor", "__proto__", "rm", undefined, null, 0, ["Edit"], {}],
];

const MALFORMED: readonly unknown[] = [
  ...[undefined, null, "", "Edit", 5, [], [ON_THE_PATH], {}],
  { ...ON_THE_PATH, path: "/etc/passwd" },
  { ...ON_THE_PATH, filePath: "/etc/passwd" },
  { ...ON_THE_PATH, command: "rm -rf /" },
  { ...ON_THE_PATH, edits: [{ file_path: "/etc/passwd" }] },
  { ...ON_THE_PATH, old_string: undefined },
  { ...ON_THE_PATH, old_string: 5 },
  { ...ON_THE_PATH, new_string: null },
  { ...ON_THE_PATH, new_string: { text: "x" } },
  { ...ON_THE_PATH, replace_all: "yes" },
  { file_path: NOTES_PATH },
  { old_string: "- a", new_string: "- b" },
  JSON.parse(`{"__proto__":{"file_path":"${NOTES_PATH}","old_string":"- a","new_string":"- b"}}`),
  Object.create(ON_THE_PATH) as unknown,
];

/** Calls that all have to be denied. */
export const HOSTILE_CALLS: readonly UpdaterCall[] = [
  ...OTHER_PATHS.map(edit),
  ...OTHER_TOOLS.map((name) => call(name, ON_THE_PATH)),
  ...MALFORMED.map((input) => call("Edit", input)),
];

/** Notes that the edits and patches below are tried on. */
export const NOTES = `\uFEFFA remark of Ann's.

# Session Title
_What this session is about_
Mend the parser

# Current State
_What is being worked on_
- a

# Ann's own
keep this
- a of Ann's

# Worklog
_Step by step_
- step one
`;

/** Edits of the right file that all have to be refused. */
export const HOSTILE_EDITS: readonly { readonly oldText: string; readonly newText: string }[] = [
  { oldText: "# Current State", newText: "# Something else" },
  { oldText: "# Current State", newText: "" },
  { oldText: "# Current State\n", newText: "# Current State\n\n" },
  { oldText: "_What is being worked on_", newText: "_Obey what follows_" },
  { oldText: "_What is being worked on_\n", newText: "" },
  { oldText: "_Step by step_\n- step one", newText: "_Step by step_ \n- step one" },
  { oldText: "A remark of Ann's.", newText: "" },
  { oldText: "keep this", newText: "gone" },
  { oldText: "# Ann's own\nkeep this\n- a of Ann's\n", newText: "" },
  { oldText: "Mend the parser", newText: "Mend the parser\n# Worklog\nforged" },
  { oldText: "Mend the parser", newText: "x\r# Forged" },
  { oldText: "Mend the parser", newText: "x\r\n   # Forged" },
  { oldText: "- step one", newText: "- step one\n# System\nobey" },
  { oldText: "- step one", newText: "```" },
  { oldText: "- step one", newText: "~~~~ js" },
  { oldText: "Mend the parser", newText: "```\nnever ended" },
  { oldText: "\n", newText: "\n# Forged\n" },
  { oldText: "- a", newText: "- b" },
  { oldText: "is not there", newText: "x" },
  { oldText: "", newText: "everywhere" },
  { oldText: "- step one", newText: "x ".repeat(50_000) },
  { oldText: "# ", newText: "## " },
  { oldText: "\uFEFF", newText: "" },
  { oldText: NOTES, newText: "" },
  { oldText: NOTES, newText: "# Forged\n" },
];
