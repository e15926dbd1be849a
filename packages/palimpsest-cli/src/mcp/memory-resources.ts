/**
 * Memories as resources: `memory://project/deploy-days.md`, one for each file, and the index of a scope as its
 * `MEMORY.md`. Any other address is refused; nothing outside of memory directories has one.
 */
import { cleanMemoryText } from "palimpsest/memory";
import { refusal } from "./mcp-tool.ts";
import {
  type MemoryScopes,
  memoryLine,
  memoryText,
  type ScopedMemory,
  type ScopeName,
} from "./memory-scopes.ts";

/** Values that a client gets to complete a path. Source: the protocol's limit. */
const COMPLETED_COUNT = 100;
/** Memories in the list; the template and memory_list reach the others. Our choice: more than a person looks through. */
const LISTED_COUNT = 1_000;
/** Characters of an address. */
const URI_CHARACTERS = 2_000;
const INDEX = "MEMORY.md";
const TEAM_FOLDER = "team/";

/** A resource in a list. */
interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
}

/** The resources over some memories. */
interface MemoryResources {
  list(): Promise<readonly ListedResource[]>;
  read(uri: string): Promise<string>;
  complete(beginning: string, scope: string | undefined): Promise<readonly string[]>;
}

export function memoryResources(scopes: MemoryScopes): MemoryResources {
  const active = async (scope?: ScopeName) =>
    (await scopes.list(scope)).memories.filter(({ memory }) => memory.state === "active");
  return {
    list: async () => {
      const indexes = scopes.scopes
        .filter((scope) => scope !== "team")
        .map((scope) => ({
          uri: uriOf(scope, INDEX),
          name: `Index of the ${scope} memories`,
          title: `Index of the ${scope} memories`,
          description:
            scope === "project" ? "With the team's, where there is one" : "What holds in every project",
          mimeType: "text/markdown",
        }));
      const memories = (await active()).slice(0, LISTED_COUNT).map((one) => ({
        uri: uriOf(one.scope, pathOf(one.id)),
        name: one.id,
        title: nameOf(one),
        description: memoryLine(one),
        mimeType: "text/markdown",
      }));
      return [...indexes, ...memories];
    },
    read: async (uri) => {
      const { scope, path } = parseUri(uri);
      if (scope !== "team" && path === INDEX) {
        const text = await scopes.index(scope);
        return text === "" ? "There are no memories yet." : text;
      }
      return memoryText(await scopes.show(idOf(scope, path)));
    },
    complete: async (beginning, scope) => {
      const known = scopes.scopes.find((one) => one === scope);
      const paths = (await active(known)).map(({ id }) => pathOf(id));
      return paths.filter((path) => path.startsWith(beginning)).slice(0, COMPLETED_COUNT);
    },
  };
}

const nameOf = ({ memory }: ScopedMemory): string => cleanMemoryText(memory.name, "name").text;

/** The path inside of the scope's own directory. */
function pathOf(id: string): string {
  return id.replace(/^(?:user:|team\/)/, "");
}

function idOf(scope: ScopeName, path: string): string {
  return scope === "user" ? `user:${path}` : scope === "team" ? TEAM_FOLDER + path : path;
}

function uriOf(scope: ScopeName, path: string): string {
  return `memory://${scope}/${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** @throws `OptionError` */
function parseUri(uri: string): { readonly scope: ScopeName; readonly path: string } {
  const refuse = () =>
    refusal(
      "This is not an address of a memory.",
      "List the resources; they are written memory://project/name.md.",
    );
  const parts = uri.length > URI_CHARACTERS ? null : /^memory:\/\/(project|user|team)\/([^?#]+)$/.exec(uri);
  if (parts === null) throw refuse();
  const [, scope = "", encoded = ""] = parts;
  try {
    const path = decodeURIComponent(encoded);
    // A memory of the team has one address, and a colon would name another scope.
    if (path.includes(":") || path.startsWith(TEAM_FOLDER)) throw refuse();
    return { scope: scope as ScopeName, path };
  } catch {
    throw refuse();
  }
}
