import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { str } from "../../language/python/values.ts";
import { programPath, run } from "../commands.ts";
import { isFile } from "../linux/paths.ts";
import { anyLines, overwrite, readText } from "./file/content.ts";

/** One line: an entry has an alias and a target; anything else is kept as it is. */
interface Line {
  text: string;
  alias?: string | undefined;
  target?: string | undefined;
  comment: string;
}

const pathOf = async (context: JobContext): Promise<string> =>
  str(await context.call("config.option", ["aliases.file"]));

function lineOf(text: string): Line {
  const [, alias, target, comment = ""] = /^([^:#]*)\s*:?\s*([^#]*?)(\s+#[^\n]*|(?=\n?$))/.exec(text) ?? [];
  return { text, alias, target, comment };
}

async function read(context: JobContext): Promise<Line[]> {
  const { fs } = context.runtime;
  const path = await pathOf(context);
  return isFile(fs, path) ? anyLines(readText(fs, path)).map((line) => lineOf(line.replace(/\r\n?$/, "\n"))) : [];
}

async function write(context: JobContext, lines: readonly Line[]): Promise<true> {
  const text = lines.map(({ text, alias, target, comment }) =>
    // Continuations of entries would be lost otherwise.
    (alias ?? "") === "" || (target ?? "") === "" ? `${text.replace(/\n$/, "")}\n` : `${alias}: ${target}${comment}\n`
  );
  overwrite(context.runtime, await pathOf(context), text.join(""));
  const program = programPath(context, "newaliases");
  if (program !== undefined) await run(context, [program]);
  return true;
}

async function list(context: JobContext): Promise<Map<string, string>> {
  const entries = (await read(context)).filter(({ alias = "" }) => alias !== "");
  return new Map(entries.map(({ alias, target }) => [alias!, target!]));
}

/** The target of one address or of several. */
const targetOf = (target: unknown): string => Array.isArray(target) ? target.map(str).join(", ") : str(target);

/** An entry of the file. @throws {SaltInvocationError} if a part is missing, or would be something else in the file */
export function aliasEntry(alias: unknown, target: unknown): { alias: string; target: string } {
  const entry = { alias: str(alias), target: targetOf(target) };
  for (const [name, text] of Object.entries(entry)) {
    if (text === "") throw new SaltInvocationError(`${name} can not be an empty string`);
    if (/[\r\n\0]/.test(text)) {
      throw new SaltInvocationError(`Cannot use ${JSON.stringify(text)} as ${name}: it has more than one line`);
    }
  }
  if (/[:#]/.test(entry.alias)) {
    throw new SaltInvocationError(`Cannot use "${entry.alias}" as alias: it contains ":" or "#"`);
  }
  return entry;
}

/** Aliases of mail addresses: the option `aliases.file`, or /etc/aliases. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "list_aliases()": {
      doc: "The aliases, each with its target.\n\n    salt '*' aliases.list_aliases",
      run: async (context) => Object.fromEntries(await list(context)),
    },
    "get_target(alias: str)": {
      doc: "The target of an alias; an empty text if there is none.\n\n    salt '*' aliases.get_target root",
      run: async (context, { alias }) => (await list(context)).get(alias) ?? "",
    },
    "has_target(alias, target)": {
      doc: "True if the alias has that target.\n\n    salt '*' aliases.has_target root admin@example.com\n\n" +
        "target: an address, or a list of them",
      async run(context, { alias, target }): Promise<boolean> {
        if (target === "") throw new SaltInvocationError("target can not be an empty string");
        return (await list(context)).get(str(alias)) === targetOf(target);
      },
    },
    "set_target(alias, target)": {
      doc: "Sets the target of an alias, which is added if it is missing.\n\n" +
        "    salt '*' aliases.set_target root admin@example.com\n\ntarget: an address, or a list of them",
      async run(context, args): Promise<true> {
        const entry = aliasEntry(args.alias, args.target);
        if ((await list(context)).get(entry.alias) === args.target) return true;
        const lines: Line[] = [];
        let replaced = false;
        for (const line of await read(context)) {
          if (line.alias !== entry.alias) lines.push(line);
          else if (!replaced) {
            lines.push({ ...line, ...entry });
            replaced = true;
          }
        }
        if (!replaced) lines.push({ text: "", comment: "", ...entry });
        return await write(context, lines);
      },
    },
    "rm_alias(alias: str)": {
      doc: "Removes an alias.\n\n    salt '*' aliases.rm_alias root",
      async run(context, { alias: name }): Promise<true> {
        if (((await list(context)).get(name) ?? "") === "") return true;
        return await write(context, (await read(context)).filter(({ alias }) => alias !== name));
      },
    },
  }),
};
