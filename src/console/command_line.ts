import { argumentText } from "./job_arguments.ts";
import type { Where } from "./saved.ts";

/** Quotes a text as one word for a shell. */
export function shellQuoted(text: string): string {
  return text !== "" && /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const FLAGS: Readonly<Record<string, string>> = {
  list: "-L ",
  grain: "-G ",
  compound: "-C ",
  pcre: "-E ",
  grain_pcre: "-P ",
  nodegroup: "-N ",
  ipcidr: "-S ",
  pillar: "-I ",
  pillar_pcre: "-J ",
  range: "-R ",
};

/** The most characters of a target; a longer one is cut, since nobody reads a list of thousands of ids. */
const MAX_CHARACTERS = 2000;

/** A run as a command line of `salt`, `salt-run` or the wheel, for a confirmation. */
export function saltCommandLine(
  { where, tgt, type, fun, arg, kwarg, options = [] }: {
    where: Where;
    tgt: string;
    type: string;
    fun: string;
    arg: readonly unknown[];
    kwarg: Record<string, unknown>;
    /** Options of `salt`, such as `--batch-size=10%`. */
    options?: readonly string[];
  },
): string {
  const words = [
    ...arg.map((one) => shellQuoted(argumentText([one]))),
    ...Object.entries(kwarg).map(([name, value]) => shellQuoted(`${name}=${argumentText([value])}`)),
  ];
  const called = [fun, ...words].join(" ");
  if (where === "runner") return `salt-run ${called}`;
  if (where === "wheel") return `wheel ${called}`;
  const target = shellQuoted(tgt);
  const shown = target.length > MAX_CHARACTERS ? `${target.slice(0, MAX_CHARACTERS)}…` : target;
  return ["salt", ...options, `${FLAGS[type] ?? ""}${shown}`, called].join(" ");
}
