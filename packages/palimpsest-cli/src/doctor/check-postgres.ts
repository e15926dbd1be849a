/** `palimpsest doctor --postgres`: the sessions of a database, in every scope. */

import { nodeHasher, OptionError } from "palimpsest";
import type { DoctorSessionRow, EventLoopYielder } from "palimpsest/internal";
import {
  addAll,
  errorMessage,
  type FoundDamage,
  type PostgresCheckup,
  PostgresDoctor,
  TABLES_VERSION,
} from "palimpsest/internal";
import type { LogDamage } from "palimpsest/transcript";
import type { CliContext, ConnectedPostgres } from "../terminal/terminal.ts";
import type { DoctorFinding } from "./doctor-finding.ts";

export interface PostgresFlags {
  /** True where the command line names no URL. */
  readonly postgres?: string | true;
  readonly schema?: string;
  readonly fix?: boolean;
}

interface PostgresReport {
  readonly folder: string;
  readonly projects: number;
  readonly sessions: number;
  readonly logBytes: number;
  readonly blobBytes: number;
  readonly findings: readonly DoctorFinding[];
}

/** Connects with `pg`, which users install themselves. @throws `OptionError` if `pg` is missing, or the URL is invalid. */
export async function connectPostgres(url: string | undefined): Promise<ConnectedPostgres> {
  const { default: pg } = await import("pg").catch((cause: unknown) => {
    throw new OptionError({
      message: "--postgres needs the package pg, which is not installed beside palimpsest.",
      hint: "Install it: npm install pg.",
      cause,
    });
  });
  const named = url === undefined ? undefined : parseUrl(url);
  const pool = new pg.Pool({
    ...(url !== undefined && { connectionString: url }),
    max: 2,
    application_name: "palimpsest doctor",
  });
  const place = named === undefined ? "the database of the PG… variables" : `${named.host}${named.pathname}`;
  return { pool, place, end: () => pool.end() };
}

function parseUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && /^postgres(?:ql)?:$/.test(parsed.protocol)) return parsed;
  throw new OptionError({
    message: "--postgres, or PALIMPSEST_POSTGRES_URL, has a value that is not a URL of PostgreSQL.",
    hint: "Give one such as postgres://user@host/database, or none to use PALIMPSEST_POSTGRES_URL or the PG… variables.",
  });
}

/** Looks at every session, and repairs with `--fix`. */
export async function examinePostgres(
  { postgres, schema = "palimpsest", fix = false }: PostgresFlags,
  { env, connectPostgres: connect = connectPostgres }: CliContext,
  yielder: EventLoopYielder,
): Promise<PostgresReport> {
  const { pool, place, end } = await connect(
    typeof postgres === "string" ? postgres : env["PALIMPSEST_POSTGRES_URL"],
  );
  try {
    const doctor = new PostgresDoctor({ pool, hasher: nodeHasher, schema });
    const where = `${place}, schema ${schema}`;
    const { findings, version } = await checkTables(doctor, where, fix);
    const sums = { sessions: 0, logBytes: 0, blobBytes: 0 };
    const scopes = new Set<string>();
    for await (const session of version === 0 ? [] : doctor.sessions()) {
      await yielder.take();
      const checked = await checkSession(doctor, session, { isRepairing: fix && version >= TABLES_VERSION });
      addAll(findings, checked.findings);
      scopes.add(session.scopeKey);
      sums.sessions++;
      sums.logBytes += session.bytes;
      sums.blobBytes += checked.blobBytes;
    }
    return { folder: where, projects: scopes.size, ...sums, findings };
  } finally {
    await end();
  }
}

async function checkTables(
  doctor: PostgresDoctor,
  path: string,
  isRepairing: boolean,
): Promise<{ readonly findings: DoctorFinding[]; readonly version: number }> {
  const version = await doctor.version();
  const findings: DoctorFinding[] = [];
  if (version === 0)
    findings.push({
      ...{ kind: "tables", level: "problem", path, isMendable: false },
      advice:
        "There are no tables of sessions here. Check the URL and --schema, or create them with migrate().",
    });
  else if (version > 0 && version < TABLES_VERSION) {
    if (isRepairing) await doctor.migrate();
    findings.push({
      ...{ kind: "tables", level: "problem", path, isMendable: true },
      advice: `The tables are of version ${version}; from version ${TABLES_VERSION} on rows carry a checksum: brought up to date.`,
      ...(isRepairing && { isMended: true }),
    });
    if (isRepairing) return { findings, version: TABLES_VERSION };
  }
  if (version >= TABLES_VERSION) {
    const count = await doctor.uncheckedCount();
    if (count > 0)
      findings.push({
        ...{ kind: "no-checksum", level: "note", path, isMendable: false },
        advice: `${count} entries were written without a checksum, by an earlier version: they are read without a check.`,
      });
  }
  return { findings, version };
}

async function checkSession(
  doctor: PostgresDoctor,
  session: DoctorSessionRow,
  { isRepairing }: { readonly isRepairing: boolean },
): Promise<{ readonly findings: readonly DoctorFinding[]; readonly blobBytes: number }> {
  try {
    const before = await doctor.inspect(session);
    const found = findingsOf(session, before);
    const isDue = found.some(({ isMendable, level }) => isMendable && level === "problem");
    const done = { findings: found, blobBytes: before.blobBytes };
    if (!isRepairing || !isDue) return done;
    if (!(await doctor.repair(session))) return done;
    const after = findingsOf(session, await doctor.inspect(session));
    const open = new Set(after.filter(({ level }) => level === "problem").map(nameOf));
    const repaired = found
      .filter((one) => one.isMendable && one.level === "problem" && !open.has(nameOf(one)))
      .map((one) => ({ ...one, isMended: true }));
    const names = new Set(repaired.map(nameOf));
    return {
      findings: [...repaired, ...after.filter((one) => !names.has(nameOf(one)))],
      blobBytes: before.blobBytes,
    };
  } catch (error) {
    const { sessionId } = session;
    const advice = errorMessage(error);
    const finding = {
      kind: "unreadable",
      level: "problem",
      path: pathOf(session),
      sessionId,
      advice,
      isMendable: false,
    } as const;
    return { findings: [finding], blobBytes: 0 };
  }
}

const nameOf = ({ kind, position, advice }: DoctorFinding): string => `${kind} ${position ?? advice}`;

const pathOf = ({ scopeKey, sessionId }: DoctorSessionRow): string => `${scopeKey} ${sessionId}`;

function findingsOf(session: DoctorSessionRow, checkup: PostgresCheckup): readonly DoctorFinding[] {
  const { sessionId, isInUse } = session;
  const about = { path: pathOf(session), sessionId };
  const { entryCount, damage, damagedBlobs, missingBlobs } = checkup;
  if (entryCount === 0)
    return [
      {
        ...{ kind: "unreadable", level: "problem", ...about, isMendable: false },
        advice:
          "No entry can be read: nothing is left of the session, or another program wrote the rows. It is not changed.",
      },
    ];
  return [
    ...damage.map((one) => logFinding(one, about, isInUse)),
    ...damagedBlobs.map(
      ({ hash, bytes }): DoctorFinding => ({
        ...{ kind: "blob-damaged", level: "problem", ...about, bytes, isMendable: false },
        advice: `The blob ${hash} differs from the stored text. A backup may have it; storing the same text again replaces it.`,
      }),
    ),
    ...missingBlobs.map(
      ({ hash, seq }): DoctorFinding => ({
        ...{ kind: "blob-missing", level: "problem", ...about, isMendable: false },
        advice: `Entry ${seq} names the blob ${hash}, which is missing; its preview is shown. A backup may have it.`,
      }),
    ),
  ];
}

function logFinding(
  damage: FoundDamage,
  about: Pick<DoctorFinding, "path" | "sessionId">,
  isInUse: boolean,
): DoctorFinding {
  const { position, bytes, isRecorded } = damage;
  const words = adviceFor(damage);
  const isOpenNow = isInUse && !isRecorded;
  return {
    kind: kindOf(damage),
    level: isRecorded || isOpenNow ? "note" : "problem",
    ...about,
    position,
    bytes,
    advice: isRecorded
      ? `${words} (Already done.)`
      : isOpenNow
        ? `${words.replace(/: [^:]*$/, ".")} (Its session is open now: try again later.)`
        : words,
    isMendable: !isRecorded && !isInUse,
  };
}

function kindOf({ reason }: LogDamage): DoctorFinding["kind"] {
  if (reason === "missing" || reason === "missing-tail") return "missing-entries";
  if (reason === "wrong-end") return "wrong-end";
  return reason === "duplicate-seq" || reason === "forked" ? "late-entries" : "damage";
}

function adviceFor({ reason, position }: LogDamage): string {
  switch (reason) {
    case "missing":
      return `Entries from ${position} on are missing; a backup may have them: recorded.`;
    case "missing-tail":
      return `The last entries, from ${position} on, are missing; a backup may have them: recorded, and the session ends before them.`;
    case "wrong-end":
      return `The session's row says that it ends at ${position}, and its entries go on: put in order.`;
    case "out-of-order":
      return `Row ${position} holds the entry of another place: put in order.`;
    case "duplicate-seq":
    case "forked":
      return `Row ${position} holds a copy, or an entry of another history: copied aside.`;
    default:
      return `Row ${position} cannot be read (${reason}): copied aside.`;
  }
}
