import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { splitLines } from "../../language/python/text.ts";
import { str, truthy } from "../../language/python/values.ts";
import { programPath } from "../commands.ts";
import { removeTemporary, temporaryFile } from "../host_files.ts";

type Answer = [question: string, type: string, value: string];

async function selections(context: JobContext, empty: unknown): Promise<Record<string, Answer[]>> {
  const text = await context.call("cmd.run_stdout", [["debconf-get-selections"]], { python_shell: false });
  const found: Record<string, Answer[]> = {};
  for (const line of splitLines(str(text))) {
    const [, owner, question = "", type = "", value = ""] =
      /^([^#\s]\S+)[\t ]+(\S+)[\t ]+(\S+)[\t ]+(.*)$/.exec(line) ?? [];
    if (owner === undefined || (!truthy(empty) && value === "")) continue;
    (found[owner] ??= []).push([question, type, value]);
  }
  return found;
}

const readFile = (context: JobContext, path: string): Promise<unknown> =>
  context.call("cmd.run_stdout", [["debconf-set-selections", path]], { python_shell: false });

/** The line of an answer. @throws {SaltInvocationError} if it would be none, or several */
export function answerLine(args: Record<string, unknown>): string {
  const words = [args.package, args.question, args.type].map(str);
  const wrong = words.find((word) => word === "" || /\s/.test(word));
  if (wrong !== undefined) {
    throw new SaltInvocationError(
      `Cannot answer for "${wrong}": expected a package, a question and a type, each one word`,
    );
  }
  const value = [args.value, ...(args.extra ?? []) as unknown[]].map(str).join(" ");
  if (/[\r\n\0]/.test(value)) {
    // Further lines would answer other questions.
    throw new SaltInvocationError(`Cannot answer ${words[1]} with ${JSON.stringify(value)}: it has more than one line`);
  }
  return [...words, value].join(" ");
}

async function setFile(context: JobContext, path: unknown, saltenv: unknown): Promise<boolean> {
  const cached = await context.call("cp.cache_file", [path, saltenv]);
  if (!truthy(cached)) return false;
  await readFile(context, str(cached));
  return true;
}

/** Answers to the questions that Debian's packages ask. */
export const module: ExecutionModule = {
  virtual(context) {
    const because = (why: string) => ({ unavailable: `The debconfmod module could not be loaded: ${why}` });
    if (context.grains.os_family !== "Debian") return because("unsupported OS family");
    return programPath(context, "debconf-get-selections") === undefined
      ? because("debconf-utils is not installed.")
      : true;
  },
  functions: executionFunctions({
    "get_selections(fetchempty=True)": {
      doc: "The answers of all packages, each as question, type and value.\n\n    salt '*' debconf.get_selections\n\n" +
        "fetchempty: also those that are empty",
      run: (context, { fetchempty }) => selections(context, fetchempty),
    },
    "show(name: str)": {
      doc: "The answers of a package, each as question, type and value; null if there are none.\n\n" +
        "    salt '*' debconf.show tzdata",
      run: async (context, { name }) => (await selections(context, true))[name] ?? null,
    },
    "set(package, question, type, value, *extra)": {
      doc: "Answers a question of a package.\n\n    salt '*' debconf.set tzdata tzdata/Areas select Europe\n\n" +
        "package: its name\nquestion: such as tzdata/Areas\ntype: such as string, boolean or select\n" +
        "extra: further words of the value",
      async run(context, args): Promise<true> {
        const path = temporaryFile(context.runtime, answerLine(args));
        try {
          await readFile(context, path);
        } finally {
          removeTemporary(context.runtime, path);
        }
        return true;
      },
    },
    "set_template(path, template, context, defaults, saltenv='base', **kwargs)": {
      doc: "Answers the questions of a file that is rendered first.\n\n" +
        "    salt '*' debconf.set_template salt://pathto/pkg.selections.jinja jinja None None",
      async run(context, { path, template, context: variables, defaults, saltenv, kwargs }) {
        const given = { dest: null, template, saltenv, context: variables, defaults, ...kwargs as object };
        return await setFile(context, await context.call("cp.get_template", [], { path, ...given }), saltenv);
      },
    },
    "set_file(path, saltenv='base', **kwargs)": {
      doc: "Answers the questions of a file.\n\n    salt '*' debconf.set_file salt://pathto/pkg.selections",
      run: (context, { path, saltenv }) => setFile(context, path, saltenv),
    },
  }),
};
