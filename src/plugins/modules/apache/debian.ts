import { type ExecutionFunction, executionFunction, type JobContext } from "../../../model/loader/family.ts";
import { str } from "../../../language/python/values.ts";
import { needProgram, operand } from "../../commands.ts";
import { isLink } from "../../linux/paths.ts";

/** One kind of what Debian's Apache enables by a link. */
interface Kind {
  /** What programs and functions end with: `a2en<word>`. */
  word: "mod" | "site" | "conf";
  /** Such as "Mod". */
  title: string;
  /** The part before `-enabled`. */
  directory: string;
  ending: string;
  /** Endings that a name may have by itself. */
  endings: readonly string[];
}

const KINDS: readonly Kind[] = [
  { word: "mod", title: "Mod", directory: "mods", ending: ".load", endings: [".load", ".conf"] },
  { word: "site", title: "Site", directory: "sites", ending: ".conf", endings: [".conf"] },
  { word: "conf", title: "Conf", directory: "conf", ending: ".conf", endings: [".conf"] },
];

function isEnabled({ runtime }: JobContext, { word, directory, ending, endings }: Kind, name: string): boolean {
  const file = endings.some((one) => name.endsWith(one)) ? name : name + ending;
  const link = (path: string) => isLink(runtime.fs, `/etc/apache2/${directory}-enabled/${path}`);
  return link(file) || (word === "site" && name === "default" && link(`000-${file}`));
}

async function turn(context: JobContext, { word, title }: Kind, on: boolean, name: unknown) {
  const program = `a2${on ? "en" : "dis"}${word}`;
  needProgram(context, program);
  const words = [program, operand(name, `a name for ${program}`)];
  const status = await context.call("cmd.retcode", [words], { python_shell: false });
  const done = status === 0
    ? `${title} ${str(name)} ${on ? "enabled" : "disabled"}`
    : on && status === 1
    ? `${title} ${str(name)} Not found`
    : status;
  return { Name: `Apache2 ${on ? "Enable" : "Disable"} ${title}`, [title]: name, Status: done };
}

function functionsOf(kind: Kind): Record<string, ExecutionFunction> {
  const word: string = kind.word;
  const turning = (on: boolean) =>
    executionFunction({
      signature: word,
      doc: `${on ? "Enables" : "Disables"} a ${word} of Debian's Apache.\n\n` +
        `    salt '*' apache.a2${on ? "en" : "dis"}${word} example`,
      run: (context, args) => turn(context, kind, on, args[word]),
    });
  return {
    [`check_${word}_enabled`]: executionFunction({
      signature: word,
      doc: `True if a ${word} of Debian's Apache is enabled.\n\n    salt '*' apache.check_${word}_enabled example`,
      run: (context, args) => isEnabled(context, kind, str(args[word])),
    }),
    [`a2en${word}`]: turning(true),
    [`a2dis${word}`]: turning(false),
  };
}

/** Modules, sites and configurations of Debian's Apache: Salt's module `deb_apache`. */
export const DEBIAN_FUNCTIONS: Record<string, ExecutionFunction> = Object.assign({}, ...KINDS.map(functionsOf));
