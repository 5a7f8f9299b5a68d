/** `brine complete`: answers a shell each time that the tab key is pressed. */
import { printable } from "../../src/base/printable.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { PROGRAMS } from "../options/programs.ts";
import type { Program } from "../options/request.ts";
import { complete, type Completion } from "./complete.ts";
import { knownNames } from "./known_names.ts";
import { shellWords } from "./shell_words.ts";

/**
 * Words without special meaning in any shell. A pending key's id is chosen by a stranger: an id such as `$(reboot)` would run
 * when the line is entered. Other words are not offered, but can still be typed.
 */
const PLAIN = /^[\w.@%+,=:/-]+$/u;

/** Candidates in one answer, at most: longer lists in a shell help nobody. */
const MAX_CANDIDATES = 2000;

/** A question in a form that is the same for all shells. */
interface Question {
  program: string;
  before: string[];
  current: string;
  /** Length of the candidate's beginning that the shell has already, because the shell splits words differently. */
  cut: number;
}

/** Parses `bash LINE WORD`: the line up to the cursor, and the current word as bash splits it. */
function fromBash([line = "", piece = ""]: readonly string[]): Question {
  const words = shellWords(line).map(({ text }) => text);
  const current = words.at(-1)!;
  const own = /^[:=]*$/.test(piece) ? "" : piece.replace(/^["']/, "");
  const cut = current.endsWith(own) ? current.length - own.length : 0;
  return { program: words[0] ?? "", before: words.slice(1, -1), current, cut };
}

/** Parses `fish LINE`: the line up to the cursor. */
function fromFish([line = ""]: readonly string[]): Question {
  return fromWords(shellWords(line).map(({ text }) => text));
}

/** Parses `zsh WORDS… CURRENT`. */
function fromWords(words: readonly string[]): Question {
  return { program: words[0] ?? "", before: words.slice(1, -1), current: words.at(-1) ?? "", cut: 0 };
}

/** The directory of the configuration, from the line's `-c` or the default. */
function configDirOf(before: readonly string[], runtime: Runtime): string {
  const at = before.findIndex((word) => word === "-c" || word === "--config-dir");
  const attached = before.find((word) => word.startsWith("--config-dir="))?.slice("--config-dir=".length);
  return attached ?? (at === -1 ? undefined : before[at + 1]) ??
    (runtime.process.env("SALT_CONFIG_DIR") || "/etc/salt");
}

/**
 * The answer to a shell: a line `nothing`, `files` or `directories`, then a line for each candidate, with its meaning after a
 * tab.
 *
 * @param words the arguments from the shell; the answer is empty for a program that is not Brine's
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
  const shown = candidates.filter(({ word }) => PLAIN.test(word)).slice(0, MAX_CANDIDATES).map(({ word, help }) =>
    described && help !== undefined ? `${word}\t${printable(help)}` : word.slice(cut)
  );
  return [also, ...shown, ""].join("\n");
}
