import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { runAll } from "../commands.ts";

async function gem(context: JobContext, words: string[], { gem_bin: program, runas }: Args): Promise<string> {
  const argv = [truthy(program) ? str(program) : "gem", ...words];
  const { retcode, stdout, stderr } = await runAll(context, argv, { runas: runas ?? null });
  if (retcode !== 0) throw new CommandExecutionError(stderr);
  return stdout;
}

const namesOf = (gems: unknown): string[] => typeof gems === "string" ? splitWords(gems) : (gems as unknown[]).map(str);

async function version(context: JobContext, args: Args): Promise<string | Record<string, never>> {
  const lines = splitLines(await gem(context, ["--version"], args));
  return lines.find((line) => /^[.0-9]/.test(line)) ?? {};
}

const PLACE = "ruby=None, runas=None, gem_bin=None";
const HOW = "\n\ngem_bin: path of gem\nruby: taken and without effect; rvm and rbenv are not asked";

/** Ruby's packages, by gem. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    install: executionFunction({
      signature: `gems, ruby=None, gem_bin=None, runas=None, version=None, rdoc: bool=False, ri: bool=False,
        pre_releases: bool=False, proxy=None, source=None`,
      doc: `Installs gems.\n\n    salt '*' gem.install vagrant${HOW}\n` +
        "gems: names with blanks between them, or a list\nrdoc, ri: make documentation, too\n" +
        "source: address of the gems",
      async run(context, args): Promise<string> {
        const { rdoc, ri, pre_releases: early } = args;
        const wanted = truthy(args.version) ? ["--version", str(args.version)] : [];
        const third = str(await version(context, args)).startsWith("3.");
        const documents = third
          ? (rdoc && ri ? [] : ["--no-document"])
          : [...(rdoc ? [] : ["--no-rdoc"]), ...(ri ? [] : ["--no-ri"])];
        const words = [
          ...namesOf(args.gems),
          ...wanted,
          ...documents,
          ...(early ? [third ? "--prerelease" : "--pre"] : []),
          ...(truthy(args.proxy) ? ["-p", str(args.proxy)] : []),
          ...(truthy(args.source) ? ["--source", str(args.source)] : []),
        ];
        return await gem(context, ["install", ...words], args);
      },
    }),
    [`uninstall(gems, ${PLACE})` as const]: {
      doc: `Removes gems.\n\n    salt '*' gem.uninstall vagrant${HOW}`,
      run: (context, args) => gem(context, ["uninstall", ...namesOf(args.gems), "-a", "-x"], args),
    },
    [`update(gems, ${PLACE})` as const]: {
      doc: `Upgrades gems.\n\n    salt '*' gem.update vagrant${HOW}`,
      run: (context, args) => gem(context, ["update", ...namesOf(args.gems)], args),
    },
    [`update_system(version: str='', ${PLACE})` as const]: {
      doc: `Upgrades gem itself.\n\n    salt '*' gem.update_system${HOW}`,
      run: (context, args) => gem(context, ["update", "--system", args.version], args),
    },
    [`version(${PLACE})` as const]: {
      doc: `The version of gem.\n\n    salt '*' gem.version${HOW}`,
      run: version,
    },
    [`list(prefix='', ${PLACE})` as const]: {
      doc: `The installed gems, each with its versions.\n\n    salt '*' gem.list${HOW}\n` +
        "prefix: only those that begin so",
      async run(context, args): Promise<Record<string, string[]>> {
        const printed = await gem(context, ["list", ...(truthy(args.prefix) ? [str(args.prefix)] : [])], args);
        const found: Record<string, string[]> = {};
        for (const line of splitLines(printed)) {
          const [, name, versions] = /^([^ ]+) \((.+)\)/.exec(line) ?? [];
          if (name !== undefined) found[name] = versions!.split(", ");
        }
        return found;
      },
    },
    [`list_upgrades(${PLACE})` as const]: {
      doc: `The gems that there are newer versions of.\n\n    salt '*' gem.list_upgrades${HOW}`,
      async run(context, args): Promise<Record<string, string>> {
        const found: Record<string, string> = {};
        for (const line of splitLines(await gem(context, ["outdated"], args))) {
          const [, name, newest] = /(\S+) \(\S+ < (\S+)\)/.exec(line) ?? [];
          if (name === undefined) context.log.error("cannot read a line of gem outdated", { line });
          else found[name] = newest!;
        }
        return found;
      },
    },
    [`sources_add(source_uri: str, ${PLACE})` as const]: {
      doc: `Adds an address of gems.\n\n    salt '*' gem.sources_add http://gems.example.org/${HOW}`,
      run: (context, args) => gem(context, ["sources", "--add", args.source_uri], args),
    },
    [`sources_remove(source_uri: str, ${PLACE})` as const]: {
      doc: `Removes an address of gems.\n\n    salt '*' gem.sources_remove http://gems.example.org/${HOW}`,
      run: (context, args) => gem(context, ["sources", "--remove", args.source_uri], args),
    },
    [`sources_list(${PLACE})` as const]: {
      doc: `The addresses of gems.\n\n    salt '*' gem.sources_list${HOW}`,
      run: async (context, args) => splitLines(await gem(context, ["sources"], args)).slice(2),
    },
  }),
};
