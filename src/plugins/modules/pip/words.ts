/** The words of `pip install`, from arguments by name. */
import { type Args, entriesOf, isMap, splitInput, str, truthy } from "../../../language/python/values.ts";
import { CommandExecutionError } from "../../../model/loader/family.ts";

/** Arguments that are switches, in the order in which they are written. */
const SWITCHES: [name: string, word: string][] = [
  ["no_index", "--no-index"],
  ["disable_version_check", "--disable-pip-version-check"],
  ["upgrade", "--upgrade"],
  ["force_reinstall", "--force-reinstall"],
  ["ignore_installed", "--ignore-installed"],
  ["no_deps", "--no-deps"],
  ["no_install", "--no-install"],
  ["no_download", "--no-download"],
  ["no_cache_dir", "--no-cache-dir"],
  ["pre_releases", "--pre"],
  ["allow_all_external", "--allow-all-external"],
  ["process_dependency_links", "--process-dependency-links"],
];

const VALUES: [name: string, word: string][] = [
  ["log", "--log"],
  ["proxy", "--proxy"],
  ["timeout", "--timeout"],
  ["index_url", "--index-url"],
  ["extra_index_url", "--extra-index-url"],
  ["build", "--build"],
  ["target", "--target"],
  ["download", "--download"],
  ["download_cache", "--cache-dir"],
  ["cache_dir", "--cache-dir"],
  ["source", "--source"],
  ["exists_action", "--exists-action"],
  ["cert", "--cert"],
  ["trusted_host", "--trusted-host"],
];

/** Arguments with several values, each behind its own word. */
const LISTS: [name: string, word: string][] = [
  ["find_links", "--find-links"],
  ["global_options", "--global-option"],
  ["install_options", "--install-option"],
  ["editable", "--editable"],
  ["allow_external", "--allow-external"],
  ["allow_unverified", "--allow-unverified"],
];

export const splitOrNone = (value: unknown): string[] => truthy(value) ? splitInput(value) : [];

/** @throws {CommandExecutionError} if arguments make no sense together */
export function checkInstall(args: Args): void {
  if (truthy(args.no_index) && (truthy(args.index_url) || truthy(args.extra_index_url))) {
    throw new CommandExecutionError("'no_index' and ('index_url' or 'extra_index_url') are mutually exclusive.");
  }
  for (const name of ["index_url", "extra_index_url"]) {
    if (truthy(args[name]) && !/^(?:https?|ftp|file):\/\//.test(str(args[name]))) {
      throw new CommandExecutionError(`'${str(args[name])}' is not a valid URL`);
    }
  }
  if (truthy(args.timeout) && !/^\d+$/.test(str(args.timeout))) {
    throw new TypeError(`'${str(args.timeout)}' is not a valid timeout, must be an integer`);
  }
  if (truthy(args.exists_action) && !["s", "i", "w", "b"].includes(str(args.exists_action).toLowerCase())) {
    throw new CommandExecutionError(
      `The exists_action pip option only supports the values s, i, w, and b. '${
        str(args.exists_action)
      }' is not valid.`,
    );
  }
  if (truthy(args.mirrors)) {
    throw new CommandExecutionError(
      "pip >= 7.0.0 does not support mirror argument: use index_url and/or extra_index_url instead",
    );
  }
}

/** Words that pip gets as they are: texts, and maps of a word to its value. */
export function extraWords(extra: unknown): string[] {
  return (Array.isArray(extra) ? extra : []).flatMap((one) =>
    isMap(one) ? entriesOf(one).slice(-1).flatMap(([key, value]) => [str(key), str(value)]) : [str(one)]
  );
}

/** @throws {CommandExecutionError} if arguments make no sense together */
export function installWords(args: Args): string[] {
  checkInstall(args);
  const given = <T>(rows: [string, string][], words: (value: unknown, word: string) => T[]): T[] =>
    rows.flatMap(([name, word]) => truthy(args[name]) ? words(args[name], word) : []);
  return [
    ...(truthy(args.no_binary) ? ["--no-binary", splitOrNone(args.no_binary).join(",")] : []),
    ...given(VALUES, (value, word) => [word, str(value)]),
    ...given(SWITCHES, (_, word) => [word]),
    // A comma may also stand between the conditions of one package: those have a semicolon here.
    ...splitOrNone(args.pkgs).map((one) => one.replaceAll(";", ",")),
    ...given(LISTS, (value, word) => splitOrNone(value).flatMap((one) => [word, one])),
    ...extraWords(args.extra_args),
  ];
}
