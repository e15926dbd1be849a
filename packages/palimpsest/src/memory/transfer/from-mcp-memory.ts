/**
 * Memories of the MCP memory server (`@modelcontextprotocol/server-memory`): a graph of entities with observations
 * and relations, one a line in `memory.jsonl`, or as one document, as its tool `read_graph` returns it.
 *
 * An entity becomes a memory with its observations as points; a relation becomes a point of the entity that it
 * starts from, in words: there is no graph here, and nothing walks along it.
 */
import { InputError } from "../../base/errors.ts";
import { asString, isObject } from "../../base/json/json.ts";
import { MEMORY_TYPES } from "../files/memory.ts";
import { toOneLine } from "../files/memory-fields.ts";
import {
  descriptionOfText,
  ImportLog,
  type JsonRecord,
  type MemoryImport,
  readJsonRecords,
} from "./imported-memory.ts";

interface Entity {
  readonly origin: string;
  readonly name: string;
  readonly kind: string;
  readonly observations: Set<string>;
  readonly relations: string[];
}

const KNOWN_FIELDS: ReadonlySet<string> = new Set(["type", "name", "entityType", "observations"]);
const KNOWN_RELATION_FIELDS: ReadonlySet<string> = new Set(["type", "from", "to", "relationType"]);

/** True if a record is an entity or a relation of such a graph. */
export function isMcpRecord(value: Readonly<Record<string, unknown>>): boolean {
  return isEntity(value) || isRelation(value);
}

/**
 * Reads a graph, whatever the text is.
 * @throws InputError `INPUT_EMPTY`, `INPUT_TOO_LARGE`, `FORMAT_UNKNOWN`
 */
export function importMcpMemory(text: string): MemoryImport {
  const log = new ImportLog();
  const records = readJsonRecords(text, ["entities", "relations"], log);
  if (records.length > 0 && !records.some(({ value }) => isMcpRecord(value)))
    throw new InputError("FORMAT_UNKNOWN", {
      message: "There is neither an entity nor a relation in it, as the MCP memory server keeps them.",
      hint: "Give the server's `memory.jsonl`, or what its tool `read_graph` returned.",
    });
  const entities = readEntities(records, log);
  readRelations(records, entities, log);
  for (const entity of entities.values()) addEntity(entity, log);
  return log.end("mcp-memory");
}

function readEntities(records: readonly JsonRecord[], log: ImportLog): ReadonlyMap<string, Entity> {
  const entities = new Map<string, Entity>();
  for (const { origin, value } of records) {
    if (isRelation(value)) continue;
    const name = asString(value["name"]);
    if (!isEntity(value) || name === undefined) {
      log.leave(origin, "it is neither an entity with a name nor a relation");
      continue;
    }
    leaveOthers(origin, value, KNOWN_FIELDS, log);
    const observations = observationsOf(origin, value["observations"], log);
    const known = entities.get(name);
    if (known === undefined) {
      const kind = toOneLine(asString(value["entityType"]) ?? "");
      entities.set(name, { origin, name, kind, observations: new Set(observations), relations: [] });
    } else for (const observation of observations) known.observations.add(observation);
  }
  return entities;
}

/** Some forks of the server keep observations with times and versions; only their text is imported. */
function observationsOf(origin: string, value: unknown, log: ImportLog): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    log.leave(origin, "its observations are not a list");
    return [];
  }
  return value.flatMap((item: unknown, index): readonly string[] => {
    const text = asString(isObject(item) ? item["content"] : item);
    if (text === undefined) log.leave(origin, `observation ${index + 1} is not a text`);
    else if (isObject(item) && Object.keys(item).length > 1)
      log.leave(origin, `of observation ${index + 1} all but its text: ${Object.keys(item).join(", ")}`);
    return text === undefined || text.trim() === "" ? [] : [text.trim()];
  });
}

function readRelations(
  records: readonly JsonRecord[],
  entities: ReadonlyMap<string, Entity>,
  log: ImportLog,
): void {
  for (const { origin, value } of records) {
    if (!isRelation(value)) continue;
    leaveOthers(origin, value, KNOWN_RELATION_FIELDS, log);
    const [from, to, relation] = ["from", "to", "relationType"].map((name) => asString(value[name]));
    const entity = entities.get(from ?? "");
    if (entity === undefined || to === undefined)
      log.leave(origin, `a relation of an entity that is not there: ${from} ${relation ?? "?"} ${to}`);
    else entity.relations.push(`${toOneLine(relation ?? "relates to")}: ${toOneLine(to)}`);
  }
}

function addEntity({ origin, name, kind, observations, relations }: Entity, log: ImportLog): void {
  const points = [...observations, ...relations];
  if (points.length === 0) {
    log.leave(origin, `the entity ${name}, of which nothing is said`);
    return;
  }
  const type = MEMORY_TYPES.find((each) => each === kind.toLowerCase());
  log.add(origin, {
    name: toOneLine(name) || "unnamed",
    description: descriptionOfText(kind === "" ? points[0]! : `${kind}: ${points[0]}`),
    body: points.map((point) => `- ${point.replace(/\r?\n/g, "\n  ")}`).join("\n"),
    type,
    source: "import",
  });
}

function leaveOthers(
  origin: string,
  value: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  log: ImportLog,
): void {
  const others = Object.keys(value).filter((name) => !known.has(name));
  if (others.length > 0) log.leave(origin, `what is not known here: ${others.join(", ")}`);
}

function isEntity(value: Readonly<Record<string, unknown>>): boolean {
  return (
    value["type"] === "entity" || (value["entityType"] !== undefined && value["observations"] !== undefined)
  );
}

function isRelation(value: Readonly<Record<string, unknown>>): boolean {
  return value["type"] === "relation" || (value["relationType"] !== undefined && value["from"] !== undefined);
}
