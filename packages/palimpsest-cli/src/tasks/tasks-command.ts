/**
 * `palimpsest tasks`: the commands about background tasks of stored sessions.
 */
import { type CommandLoaders, groupOf } from "../command-line/command.ts";

const reading = () => import("./read-tasks-commands.ts");
const changing = async () => (await import("./change-tasks-commands.ts")).CHANGE_TASK_COMMANDS;

const COMMANDS: CommandLoaders = {
  list: async () => (await reading()).listTasksCommand,
  show: async () => (await reading()).showTaskCommand,
  tail: async () => (await reading()).tailTaskCommand,
  input: async () => (await changing()).input,
  kill: async () => (await changing()).kill,
  clean: async () => (await changing()).clean,
};

const HELP = `
Tasks belong to a session, which is named by its id, the beginning of it, or its title. All commands work
beside the program that runs the tasks; input and kill ask it, and wait for its answer. A task whose
program died is interrupted.

Examples:
  palimpsest tasks list                 the tasks of the latest sessions of this folder
  palimpsest tasks tail -f 3f2a91c0 t1  the output of one, as it grows
  palimpsest tasks input 3f2a91c0 t1 y  answers its question
  palimpsest tasks kill 3f2a91c0 t1     ends it`;

export const TASKS_COMMAND = groupOf(
  "tasks",
  "list, read, answer, end and clean up background tasks",
  HELP,
  COMMANDS,
);
