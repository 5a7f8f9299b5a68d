import { SystemError } from "../../base/errors.ts";
import { executionFunctions, type ExecutionModule, type JobContext } from "../../model/loader/family.ts";
import { str } from "../../language/python/values.ts";
import { type CommandOutcome, runAll } from "../commands.ts";
import { isDirectory } from "../linux/paths.ts";

const LINKS = "/etc/alternatives";

const program = ({ grains }: JobContext) => grains.os_family === "RedHat" ? "alternatives" : "update-alternatives";

function call(context: JobContext, words: unknown[], options: Record<string, unknown> = {}): Promise<CommandOutcome> {
  return runAll(context, [program(context), ...words.map(str)], options);
}

/** Changes something. @returns what the program prints, or its complaint */
async function change(context: JobContext, words: unknown[]): Promise<string> {
  const { retcode, stdout, stderr } = await call(context, words);
  return retcode > 0 && stderr !== "" ? stderr : stdout;
}

async function display(context: JobContext, name: unknown): Promise<CommandOutcome> {
  return await call(context, ["--display", name], { ignore_retcode: true });
}

/** Where an alternative leads; undefined if there is none. */
function current({ runtime: { fs } }: JobContext, name: unknown): string | undefined {
  // It is the name of a link in that directory, and no path.
  if (str(name).includes("/")) return undefined;
  try {
    return fs.readlink(`${LINKS}/${str(name)}`);
  } catch (error) {
    if (error instanceof SystemError) return undefined;
    throw error;
  }
}

/** Where the databases of other families keep the link. */
const DATABASES: Record<string, string> = {
  RedHat: "/var/lib/alternatives",
  Suse: "/var/lib/rpm/alternatives",
};

/** Alternatives: which of several programs a name stands for. */
export const module: ExecutionModule = {
  virtual: (context) =>
    isDirectory(context.runtime.fs, LINKS)
      ? true
      : { unavailable: "Cannot load alternatives module: /etc/alternatives dir not found" },
  functions: executionFunctions({
    "display(name)": {
      doc: "What is known of an alternative.\n\n    salt '*' alternatives.display editor",
      out: "txt",
      async run(context, { name }) {
        const { retcode, stdout, stderr } = await display(context, name);
        return retcode > 0 && stderr !== "" ? stderr : stdout;
      },
    },
    "show_link(name)": {
      doc: "The link that stands for an alternative.\n\n    salt '*' alternatives.show_link editor",
      async run(context, { name }): Promise<string | false> {
        const database = DATABASES[str(context.grains.os_family)];
        if (database !== undefined) {
          const path = `${database}/${str(name)}`;
          const { fs } = context.runtime;
          return fs.stat(path)?.kind === "file" ? fs.readText(path).split("\n")[1] ?? false : false;
        }
        const { retcode, stdout } = await call(context, ["--query", name], { ignore_retcode: true });
        const line = stdout.split("\n\n")[0]!.split("\n").find((one) => one.startsWith("Link:"));
        return retcode > 0 || line === undefined ? false : line.slice("Link:".length).trim();
      },
    },
    "show_current(name)": {
      doc: "The program that an alternative stands for now.\n\n    salt '*' alternatives.show_current editor",
      run: (context, { name }) => current(context, name) ?? false,
    },
    "check_exists(name, path: str)": {
      doc: "True if a program is one of an alternative's.\n\n    salt '*' alternatives.check_exists name path",
      async run(context, { name, path }) {
        const { retcode, stdout, stderr } = await display(context, name);
        if (retcode > 0 && stderr !== "") return false;
        return stdout.split("\n").some((line) => line.startsWith(path));
      },
    },
    "check_installed(name, path: str)": {
      doc: "True if an alternative stands for that program now.\n\n    salt '*' alternatives.check_installed name path",
      run: (context, { name, path }) => current(context, name) === path,
    },
    "install(name, link, path, priority)": {
      doc: "Adds a program to an alternative.\n\n" +
        "    salt '*' alternatives.install editor /usr/bin/editor /usr/bin/emacs23 50",
      out: "txt",
      run: (context, { name, link: at, path, priority }) => change(context, ["--install", at, name, path, priority]),
    },
    "remove(name, path)": {
      doc: "Takes a program from an alternative.\n\n    salt '*' alternatives.remove name path",
      out: "txt",
      run: (context, { name, path }) => change(context, ["--remove", name, path]),
    },
    "auto(name)": {
      doc: "Lets priorities decide what an alternative stands for.\n\n    salt '*' alternatives.auto name",
      run: (context, { name }) => change(context, ["--auto", name]),
    },
    "set(name, path)": {
      doc:
        "Makes an alternative stand for that program.\n\n    salt '*' alternatives.set iptables /usr/sbin/iptables-legacy",
      run: (context, { name, path }) => change(context, ["--set", name, path]),
    },
  }),
};
