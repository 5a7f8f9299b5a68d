/** Functions of `pkg` that are the same for several package managers. */
import type { JobContext } from "../../model/loader/context.ts";
import { CommandExecutionError, executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import type { Args } from "../../model/loader/signature.ts";
import { str } from "../../language/python/repr.ts";
import { truthy } from "../../language/python/truth.ts";
import type { CommandOutcome } from "../commands.ts";
import { installedVersions } from "./installed_versions.ts";
import { changes } from "./lists.ts";
import { infoInstalled } from "./rpm/info_installed.ts";
import { hostArch, normalName, parseArch } from "./rpm/names.ts";

/** The installed versions, and the newest available ones. */
export function versionFunctions(latest: (context: JobContext, names: string[], kwargs: Args) => Promise<unknown>) {
  const functions = executionFunctions({
    "version(*names, **kwargs)": {
      doc: "The installed version, empty for none; a map for several packages.\n\n    salt '*' pkg.version vim",
      run: (context, { names, kwargs }) => installedVersions(context, names.map(str), kwargs),
    },
    "latest_version(*names, **kwargs)": {
      doc: "The newest available version, empty if it is installed.\n\n    salt '*' pkg.latest_version vim",
      run: (context, { names, kwargs }) => latest(context, names.map(str), kwargs),
    },
    "upgrade_available(name: str, **kwargs)": {
      doc: "True if there is a newer version of a package.\n\n    salt '*' pkg.upgrade_available vim",
      run: async (context, { name, kwargs }) => truthy(await latest(context, [name], kwargs)),
    },
  });
  return { ...functions, available_version: functions.latest_version };
}

/** What rpm answers, whatever installs packages. */
export const RPM_FUNCTIONS = executionFunctions({
  "normalize_name(name: str)": {
    doc: "A name without the architecture if that is this system's own.\n\n    salt '*' pkg.normalize_name zsh.x86_64",
    run: (context, { name }) => normalName(name, hostArch(context)),
  },
  "parse_arch(name: str)": {
    doc: "A package name and its architecture.\n\n    salt '*' pkg.parse_arch zsh.x86_64",
    run: (_, { name }) => parseArch(name),
  },
  "info_installed(*names, **kwargs)": {
    doc: "Details of installed packages.\n\n    salt '*' pkg.info_installed bash",
    run: (context, { names, kwargs }) => infoInstalled(context, names.map(str), kwargs),
  },
  "verify(*names, **kwargs)": {
    doc: "The files that are not as their packages had them.\n\n    salt '*' pkg.verify httpd",
    run: (context, { names, kwargs }) => context.call("lowpkg.verify", names, kwargs),
  },
  "file_list(*packages, **kwargs)": {
    doc: "The files of packages in one list.\n\n    salt '*' pkg.file_list httpd",
    run: (context, { packages, kwargs }) => context.call("lowpkg.file_list", packages, kwargs),
  },
  "file_dict(*packages, **kwargs)": {
    doc: "The files of packages by package.\n\n    salt '*' pkg.file_dict httpd",
    run: (context, { packages, kwargs }) => context.call("lowpkg.file_dict", packages, kwargs),
  },
  "owner(*paths, **kwargs)": {
    doc: "The package that a file belongs to; a map for several files.\n\n    salt '*' pkg.owner httpd",
    run: (context, { paths, kwargs }) => context.call("lowpkg.owner", paths, kwargs),
  },
});

/** What was changed if a command failed, with what it printed. */
const said = ({ stderr, stdout }: CommandOutcome, done: unknown) => ({ errors: [stderr || stdout], changes: done });

/**
 * Runs a command that changes packages.
 *
 * @returns the packages that changed, with their versions before and after
 * @throws {CommandExecutionError} `failed`, with what was changed, if the command fails
 */
export async function changing<T>(
  list: () => Promise<Record<string, T>>,
  act: () => Promise<CommandOutcome>,
  failed: string,
  info: (outcome: CommandOutcome, done: unknown) => unknown = said,
): Promise<ReturnType<typeof changes<T>>> {
  const before = await list();
  const outcome = await act();
  const done = changes(before, await list());
  if (outcome.retcode !== 0) throw new CommandExecutionError(failed, { info: info(outcome, done) });
  return done;
}

/** Checks what is to be held. @throws {SaltInvocationError} unless it is given in one way */
export function checkHeld({ name, pkgs, sources }: Args): void {
  if (!truthy(name) && !truthy(pkgs) && !truthy(sources)) {
    throw new SaltInvocationError("One of name, pkgs, or sources must be specified.");
  }
  if (truthy(pkgs) && truthy(sources)) throw new SaltInvocationError("Only one of pkgs or sources can be specified.");
}
