/**
 * `dream`: consolidates long-term memory between sessions. What it changed is its output, as a diff.
 */
import { asString, isObject, type JsonObject } from "../../../base/json/json.ts";
import { spentFields } from "../../../tasks/task-spent.ts";
import type { DreamOptions, DreamReport } from "../../memory/consolidation/run-dream.ts";
import type { TaskKind } from "../kind/task-kind.ts";

interface DreamInput extends JsonObject {
  readonly place?: "project" | "team";
  readonly force?: boolean;
}

/** Runs dreams of a memory. */
export function dreamTasks(dream: (options: DreamOptions) => Promise<DreamReport>): TaskKind<DreamInput> {
  return {
    kind: "dream",
    description: "consolidates long-term memory",
    inputSchema: {
      type: "object",
      properties: {
        place: { enum: ["project", "team"] },
        force: { type: "boolean", description: "Also where none is due." },
      },
    },
    check: (input) => {
      const { place, force } = isObject(input) ? input : {};
      return { place: asString(place) === "team" ? "team" : "project", force: force === true };
    },
    title: ({ place }) => `dream of the ${place}'s memories`,
    start: ({ place, force }, run) => {
      const ended = dream({ place, force, signal: run.signal }).then((report) => {
        run.write(`${report.reason}\n${report.diff}`);
        for (const note of report.notes) run.write(`${note}\n`);
        const result = `${report.status}: ${report.reason}`;
        return { outcome: "done" as const, result, ...(report.spent && spentFields(report.spent)) };
      });
      return { ended, stop: () => ended.then(noResult, noResult) };
    },
  };
}

const noResult = (): void => undefined;
