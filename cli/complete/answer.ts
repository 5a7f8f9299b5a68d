/** `brine complete`: what a shell asks for at each press of the tab key. */
import { printable } from "../../src/base/printable.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { PROGRAMS } from "../options/programs.ts";
import type { Program } from "../options/request.ts";
import { complete, type Completion } from "./complete.ts";
import { knownNames } from "./known_names.ts";
import { shellWords } from "./shell_words.ts";

/**
 * Words that mean themselves to every shell. A stranger chooses the id that waits among the keys: one such as `$(reboot)` would run when
 * the line is entered, and what is left out can still be typed.
 */
const PLAIN = /^[\w.@%+,=:/-]+$/u;

/** Candidates of one answer: a shell that shows more of them helps nobody. */
const MOST = 2000;

/** A question in the same terms, whichever shell asks. */
interface Question {
  program: string;
  before: string[];
  current: string;
  /** Characters at the beginning of a candidate that the shell has already, in a word that it cuts itself. */
  cut: number;
}

/** `bash LINE WORD`: the line up to the cursor, and what bash takes for the current word. */
function fromBash([line = "", piece = ""]: readonly string[]): Question {
  const words = shellWords(line).map(({ text }) => text);
  const current = words.at(-1)!;
  const own = /^[:=]*$/.test(piece) ? "" : piece.replace(/^["']/, "");
  const cut = current.endsWith(own) ? current.length - own.length : 0;
  return { program: words[0] ?? "", before: words.slice(1, -1), current, cut };
}

/** `fish LINE`: the line up to the cursor. */
function fromFish([line = ""]: readonly string[]): Question {
  return fromWords(shellWords(line).map(({ text }) => text));
}

/** `zsh WORDS… CURRENT`. */
function fromWords(words: readonly string[]): Question {
  return { program: words[0] ?? "", before: words.slice(1, -1), current: words.at(-1) ?? "", cut: 0 };
}

/** The directory of the configuration, as the line says it. */
function configDirOf(before: readonly string[], runtime: Runtime): string {
  const at = before.findIndex((word) => word === "-c" || word === "--config-dir");
  const attached = before.find((word) => word.startsWith("--config-dir="))?.slice("--config-dir=".length);
  return attached ?? (at === -1 ? undefined : before[at + 1]) ??
    (runtime.process.env("SALT_CONFIG_DIR") || "/etc/salt");
}

/**
 * The answer to a shell: a line `nothing`, `files` or `directories`, and a line for each candidate, with its meaning behind a tab.
 *
 * @param words what the shell hands over; empty for a program that is not ours
 */
export async function answerShell(runtime: Runtime, shell: string, words: readonly string[]): Promise<string> {
  const read = { bash: fromBash, fish: fromFish }[shell] ?? fromWords;
  const { program: name, before, current, cut } = read(words);
  const program = name.split("/").at(-1)!;
  if (!Object.hasOwn(PROGRAMS, program)) return "nothing\n";
  const known = await knownNames(runtime, configDirOf(before, runtime));
  const { also, candidates } = await complete(program as Program, before, current, known);
  return lines({ also, candidates }, cut, shell !== "bash");
}

function lines({ also, candidates }: Completion, cut: number, described: boolean): string {
  const shown = candidates.filter(({ word }) => PLAIN.test(word)).slice(0, MOST).map(({ word, help }) =>
    described && help !== undefined ? `${word}\t${printable(help)}` : word.slice(cut)
  );
  return [also, ...shown, ""].join("\n");
}
