import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { compareText, splitLines, splitWords } from "../../language/python/text.ts";
import { basename, join } from "../../language/python/posixpath.ts";
import { str, truthy } from "../../language/python/values.ts";
import { escapeRegexp } from "../../language/python/substitute.ts";
import { programPath, run, runAll } from "../commands.ts";
import { exists, walkPaths } from "../linux/paths.ts";
import { shellWords } from "../linux/words.ts";

interface Loaded {
  size: string;
  module: string;
  depcount: string;
  deps: string[];
}

function program(context: JobContext, name: string): string {
  const path = programPath(context, name);
  if (path === undefined) throw new CommandExecutionError(`Command '${name}' cannot be found`);
  return path;
}

/** The words of a module with its parameters, `bonding mode=4`. */
function wordsOf(module: string): string[] {
  const words = shellWords(module);
  if (words.length === 0 || words[0]!.startsWith("-") || /[/\0]/.test(words[0]!)) {
    throw new SaltInvocationError(`Cannot use "${module}" as a kernel module: expected its name, such as kvm`);
  }
  return words;
}

const unique = (names: Iterable<string>): string[] => [...new Set(names)].sort(compareText);

/** The names of modules in files below a directory. */
function* filesOf({ runtime: { fs } }: JobContext, directory: string): Generator<string> {
  for (const { files } of walkPaths(fs, directory)) {
    for (const file of files) {
      const at = file.indexOf(".ko");
      if (at >= 0) yield file.slice(0, at).replaceAll("-", "_");
    }
  }
}

/** What can be loaded, and what is built in. */
function available(context: JobContext): string[] {
  const { fs, host } = context.runtime;
  const release = host.kernelRelease();
  const directory = join("/lib/modules", release);
  const builtIn = join(directory, "modules.builtin");
  // A name that is there twice is listed twice.
  const found = exists(fs, builtIn)
    ? splitLines(fs.readText(builtIn)).map((line) => basename(line).replace(/\.ko$/, ""))
    : [];
  found.push(...filesOf(context, directory));
  if (str(context.grains.os_family).includes("Arch")) {
    found.push(...filesOf(context, `/lib/modules/extramodules-${release.slice(0, 3)}-ARCH`));
  }
  return found.sort(compareText);
}

async function lsmod(context: JobContext): Promise<Loaded[]> {
  const text = await run(context, [program(context, "lsmod")]);
  return splitLines(text).map(splitWords).filter((words) => words.length > 2 && words[0] !== "Module").map(
    ([module = "", size = "", depcount = "", deps]) => ({
      size,
      module,
      depcount,
      deps: deps === undefined ? [] : deps.split(","),
    }),
  );
}

/** The file of modules that are loaded when the system starts. */
const persistentFile = ({ grains }: JobContext): string =>
  "systemd" in grains ? "/etc/modules-load.d/salt_managed.conf" : "/etc/modules";

function persistent(context: JobContext): string[] {
  const { fs } = context.runtime;
  const file = persistentFile(context);
  if (!exists(fs, file)) return [];
  const words = splitLines(fs.readText(file)).map((line) => splitWords(line)[0] ?? "");
  return unique(words.filter((word) => word !== "" && !word.startsWith("#")));
}

const names = async (context: JobContext): Promise<string[]> =>
  unique((await lsmod(context)).map(({ module }) => module));

/** Writes a module into that file, or takes the comment from its line. @returns its name if the file has changed */
async function persist(context: JobContext, module: string): Promise<string[]> {
  const file = persistentFile(context);
  if (!exists(context.runtime.fs, file)) await context.call("file.touch", [file]);
  const [name = ""] = splitWords(module);
  if (name === "" || persistent(context).includes(name) || !available(context).includes(name)) return [];
  const pattern = escapeRegexp(module);
  if (truthy(await context.call("file.search", [file, `^#[\t ]*${pattern}[\t ]*$`], { multiline: true }))) {
    await context.call("file.uncomment", [file, pattern]);
  } else await context.call("file.append", [file, module]);
  return [name];
}

/** Takes a module from that file, or comments its line. @returns its name if it was there */
async function forget(context: JobContext, module: string, comment: unknown): Promise<string[]> {
  const file = persistentFile(context);
  const [name = ""] = splitWords(module);
  if (name === "" || !persistent(context).includes(name)) return [];
  const pattern = escapeRegexp(module);
  if (truthy(comment)) await context.call("file.comment", [file, `^[\t ]*${pattern}[\t ]?`]);
  else await context.call("file.sed", [file, `^[\t ]*${pattern}[\t ]?`, ""]);
  return [name];
}

const FILE = "/etc/modules, or /etc/modules-load.d/salt_managed.conf with systemd";

/** Modules of the Linux kernel. */
export const module: ExecutionModule = {
  virtual: ({ grains }) =>
    grains.kernel === "Linux" ? true : { unavailable: "The kmod module is available on Linux only" },
  functions: executionFunctions({
    "available()": {
      doc: "The kernel modules that are there, those that are built in included.\n\n    salt '*' kmod.available",
      run: available,
    },
    "check_available(mod: str)": {
      doc: "True if there is such a kernel module.\n\n    salt '*' kmod.check_available kvm",
      run: (context, { mod }) => available(context).includes(mod),
    },
    "lsmod()": {
      doc: "The kernel modules that are loaded, with size and what needs them.\n\n    salt '*' kmod.lsmod",
      run: lsmod,
    },
    "mod_list(only_persist: bool=False)": {
      doc: "The names of the kernel modules that are loaded.\n\n    salt '*' kmod.mod_list\n\n" +
        `only_persist: those that are loaded when the system starts, from ${FILE}`,
      run: async (context, { only_persist: only }) => only ? persistent(context) : await names(context),
    },
    "load(mod: str, persist: bool=False)": {
      doc: "Loads a kernel module. The names of those that it loaded, or what modprobe complains of.\n\n" +
        `    salt '*' kmod.load kvm\n\npersist: also write it to ${FILE}`,
      async run(context, args): Promise<unknown> {
        const module = args.mod;
        const words = wordsOf(module);
        const before = await names(context);
        const { retcode, stderr } = await runAll(context, [program(context, "modprobe"), ...words]);
        if (retcode !== 0) return `Error loading module ${module}: ${stderr}`;
        const added = (await names(context)).filter((name) => !before.includes(name));
        return unique([...added, ...(args.persist ? await persist(context, module) : [])]);
      },
    },
    "is_loaded(mod: str)": {
      doc: "True if the kernel module is loaded.\n\n    salt '*' kmod.is_loaded kvm",
      run: async (context, { mod }) => (await names(context)).includes(mod),
    },
    "remove(mod: str, persist: bool=False, comment=True)": {
      doc: "Unloads a kernel module. The names of those that are gone, or what rmmod complains of.\n\n" +
        `    salt '*' kmod.remove kvm\n\npersist: also take it from ${FILE}\n` +
        "comment: comment its line there rather than remove it",
      async run(context, args): Promise<unknown> {
        const module = args.mod;
        const words = wordsOf(module);
        const before = await names(context);
        const { retcode, stderr } = await runAll(context, [program(context, "rmmod"), ...words]);
        if (retcode !== 0) return `Error removing module ${module}: ${stderr}`;
        const after = await names(context);
        const gone = before.filter((name) => !after.includes(name));
        return unique([...gone, ...(args.persist ? await forget(context, module, args.comment) : [])]);
      },
    },
  }),
};
