import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import {
  CommandExecutionError,
  CommandNotFoundError,
  executionFunction,
  executionFunctions,
} from "../../model/loader/family.ts";
import { splitLines } from "../../language/python/text.ts";
import { type Args, str, truthy } from "../../language/python/values.ts";
import { runAll } from "../commands.ts";
import { changes } from "../packages/lists.ts";
import { comparePep440 } from "../packages/pep440.ts";
import { askPip, callPip, pipWords } from "./pip/program.ts";
import { extraWords, installWords, splitOrNone } from "./pip/words.ts";

type Versions = Record<string, string>;

const QUIET = "--disable-pip-version-check";

function parsed(text: string): Record<string, string>[] {
  try {
    return JSON.parse(text) as Record<string, string>[];
  } catch {
    throw new CommandExecutionError("Invalid JSON", { info: { stdout: text } });
  }
}

const begins = (name: string, prefix: unknown): boolean =>
  !truthy(prefix) || name.toLowerCase().startsWith(str(prefix).toLowerCase());

async function list(context: JobContext, args: Args): Promise<Versions> {
  const found = parsed(await askPip(context, ["list", "--format=json", QUIET], args));
  return Object.fromEntries(
    found.filter(({ name = "" }) => begins(name, args.prefix)).map(({ name, version: of }) => [name, of]),
  ) as Versions;
}

async function freeze(context: JobContext, args: Args): Promise<string[]> {
  return splitLines(await askPip(context, ["freeze", "--all", QUIET], args));
}

function parseFreeze(lines: string[], prefix: unknown): Versions {
  const found: Versions = {};
  for (const line of lines) {
    const text = line.replace(/^-e /, "");
    const egg = line.startsWith("-e ") ? text.split("#egg=") : [];
    const [name, of] = egg.length === 2 ? [egg[1], egg[0]] : text.split(/={2,3}/);
    if (name !== undefined && of !== undefined && !/^(?:-f|#)/.test(line) && begins(name, prefix)) found[name] = of;
  }
  return found;
}

/** Files of requirements, fetched if they are the master's. */
async function requirementWords(context: JobContext, args: Args): Promise<string[] | string> {
  const words: string[] = [];
  for (const one of splitOrNone(args.requirements)) {
    const path = one.startsWith("salt://") ? await context.call("cp.cache_file", [one, args.saltenv ?? "base"]) : one;
    if (!truthy(path)) return `pip requirements file '${one}' not found`;
    words.push("--requirement", str(path));
  }
  return words;
}

async function upgrades(context: JobContext, args: Args): Promise<Versions> {
  const found = parsed(await askPip(context, ["list", "--outdated", QUIET, "--format=json"], args));
  return Object.fromEntries(
    found.map(({ name, latest_version: of, latest_filetype: kind }) => [name, `${of} [${kind}]`]),
  ) as Versions;
}

const PLACE = "bin_env=None, user=None, cwd=None";
const HOW = "\n\nbin_env: a virtual environment, its python, or a pip; otherwise the host's python3 -m pip";

/** Python's packages, by pip. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    install: executionFunction({
      signature: `pkgs=None, requirements=None, bin_env=None, use_wheel=False, no_use_wheel=False, log=None,
        proxy=None, timeout=None, editable=None, find_links=None, index_url=None, extra_index_url=None,
        no_index=False, mirrors=None, build=None, target=None, download=None, download_cache=None, source=None,
        upgrade=False, force_reinstall=False, ignore_installed=False, exists_action=None, no_deps=False,
        no_install=False, no_download=False, global_options=None, install_options=None, user=None, cwd=None,
        pre_releases=False, cert=None, allow_all_external=False, allow_external=None, allow_unverified=None,
        process_dependency_links=False, saltenv='base', env_vars=None, use_vt=False, trusted_host=None,
        no_cache_dir=False, extra_args=None, cache_dir=None, no_binary=None, disable_version_check=False, **kwargs`,
      doc:
        `Installs packages, or those of files of requirements.\n\n    salt '*' pip.install 'a==1.0,b' bin_env=/venv${HOW}`,
      async run(context, args): Promise<unknown> {
        const requirements = await requirementWords(context, args);
        if (typeof requirements === "string") return { result: false, comment: requirements };
        if (requirements.length === 0 && !truthy(args.pkgs) && !truthy(args.editable)) {
          return { retcode: 0, stdout: "No packages to install." };
        }
        return await callPip(context, ["install", ...requirements, ...installWords(args)], args);
      },
    }),
    uninstall: executionFunction({
      signature: `pkgs=None, requirements=None, bin_env=None, log=None, proxy=None, timeout=None, user=None,
        cwd=None, saltenv='base', use_vt=False, extra_args=None`,
      doc: `Removes packages.\n\n    salt '*' pip.uninstall a,b bin_env=/venv${HOW}`,
      async run(context, args): Promise<unknown> {
        const requirements = await requirementWords(context, args);
        if (typeof requirements === "string") return { result: false, comment: requirements };
        const words = (["log", "proxy", "timeout"] as const).flatMap((name) =>
          truthy(args[name]) ? [`--${name}`, str(args[name])] : []
        );
        const all = [
          "uninstall",
          "-y",
          ...requirements,
          ...words,
          ...splitOrNone(args.pkgs),
          ...extraWords(args.extra_args),
        ];
        return await callPip(context, all, args);
      },
    }),
    [`freeze(${PLACE}, use_vt=False, env_vars=None, **kwargs)` as const]: {
      doc: `The installed packages, a line for each.\n\n    salt '*' pip.freeze bin_env=/venv${HOW}`,
      run: freeze,
    },
    [`list(prefix=None, ${PLACE}, env_vars=None, **kwargs)` as const]: {
      doc: `The installed packages with their versions.\n\n    salt '*' pip.list salt${HOW}`,
      run: list,
    },
    [`list_freeze_parse(prefix=None, ${PLACE}, env_vars=None, **kwargs)` as const]: {
      doc: `The same, of what pip freezes.\n\n    salt '*' pip.list_freeze_parse salt${HOW}`,
      run: async (context, args) => parseFreeze(await freeze(context, args), args.prefix),
    },
    "version(bin_env=None, cwd=None, user=None)": {
      doc: `The version of pip.\n\n    salt '*' pip.version${HOW}`,
      async run(context, { bin_env, cwd = null, user = null }): Promise<string | null> {
        const words = [...pipWords(context, bin_env), "--version"];
        const { retcode, stdout } = await runAll(context, words, { cwd, runas: user, ignore_retcode: true });
        if (retcode !== 0) throw new CommandNotFoundError("Could not find a `pip` binary");
        return /^pip (\S+)/.exec(stdout)?.[1] ?? null;
      },
    },
    [`list_upgrades(${PLACE})` as const]: {
      doc: `The packages that there are newer versions of.\n\n    salt '*' pip.list_upgrades${HOW}`,
      run: upgrades,
    },
    [`is_installed(pkgname: str, ${PLACE})` as const]: {
      doc: `True if a package is installed.\n\n    salt '*' pip.is_installed a${HOW}`,
      run: async (context, args) =>
        Object.keys(await list(context, args)).some((name) => name.toLowerCase() === args.pkgname.toLowerCase()),
    },
    [`upgrade_available(pkg: str, ${PLACE})` as const]: {
      doc: `True if there is a newer version of a package.\n\n    salt '*' pip.upgrade_available a${HOW}`,
      run: async (context, args) => Object.hasOwn(await upgrades(context, args), args.pkg),
    },
    [`upgrade(${PLACE}, use_vt=False)` as const]: {
      doc: `Upgrades all packages.\n\n    salt '*' pip.upgrade${HOW}`,
      async run(context, args): Promise<unknown> {
        const before = await list(context, args);
        const comments: string[] = [];
        let result = true;
        for (const name of Object.keys(await upgrades(context, args))) {
          const { retcode, stderr } = await callPip(context, ["install", "-U", QUIET, name], args);
          if (retcode !== 0) result = false;
          comments.push(stderr);
        }
        return { changes: changes(before, await list(context, args)), result, comment: comments.join("") };
      },
    },
    list_all_versions: executionFunction({
      signature: `pkg, bin_env=None, include_alpha=False, include_beta=False, include_rc=False, user=None,
        cwd=None, index_url=None, extra_index_url=None`,
      doc: `The versions that there are of a package, oldest first.\n\n    salt '*' pip.list_all_versions a${HOW}`,
      async run(context, args): Promise<string[] | null> {
        const urls = (["index_url", "extra_index_url"] as const).flatMap((name) =>
          truthy(args[name]) ? [`--${name.replaceAll("_", "-")}`, str(args[name])] : []
        );
        const { stdout } = await callPip(context, [QUIET, "index", "versions", str(args.pkg), ...urls], args, {
          redirect_stderr: true,
          ignore_retcode: true,
        });
        const listed = /Available versions: (.*)/.exec(stdout)?.[1]?.split(", ") ?? [];
        const without = [["include_alpha", "a"], ["include_beta", "b"], ["include_rc", "rc"]] as const;
        const left = without.filter(([name]) => !truthy(args[name])).map(([, letters]) => letters);
        const found = listed.filter((one) => one !== "" && !left.some((letters) => one.includes(letters)));
        return found.length === 0 ? null : found.sort((a, b) => comparePep440(a, b) ?? 0);
      },
    }),
  }),
};
