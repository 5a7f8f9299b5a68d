/** The state `pip.installed`. */
import { messageOf } from "../../../base/errors.ts";
import { CommandExecutionError, CommandNotFoundError } from "../../../model/loader/family.ts";
import { hasFunction, outcome, type StateContext, type StateReturn } from "../../../model/loader/states.ts";
import { type Args, entriesOf, isMap, type KeywordArgs, lookup, str, truthy } from "../../../language/python/values.ts";
import { checkInstall } from "../../modules/pip/words.ts";
import { comparePep440, fulfilsPep440, type Specifier } from "../../packages/pep440.ts";
import { looseCompare } from "../../packages/versions.ts";
import { fails, messageFor } from "../outcome.ts";

/** Requirements of Python packages as pip reads them: `name[extra]>=1.0,<2; marker`, or a place. */
interface Requirement {
  /** Empty for a place of which no name is known. */
  name: string;
  specifiers: Specifier[];
}

const NAME = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)$/;

const plainName = (name: string): string => name.replace(/[^A-Za-z0-9.]+/g, "-");

/** @throws {SyntaxError} if it is none, with what is wrong */
export function parseRequirement(text: string): Requirement {
  const wheel = /([^/\\]+)\.whl$/.exec(text)?.[1]?.split("-");
  if (wheel !== undefined) return { name: plainName(wheel[0]!), specifiers: [["==", wheel[1] ?? ""]] };
  if (/^[a-z][a-z0-9+.-]*:|^\.{0,2}\/|^\.$|\.(?:zip|tar\.\w+|tgz)$/i.test(text)) return { name: "", specifiers: [] };
  const [, name, rest = ""] = NAME.exec(text.split(/\s*;/)[0]!.trim()) ?? [];
  if (name === undefined) throw new SyntaxError(`Invalid requirement: '${text}'`);
  if (rest.startsWith("@")) return { name: plainName(name), specifiers: [] };
  const list = rest.replace(/^\((.*)\)$/, "$1").trim();
  const specifiers = list === "" ? [] : list.split(",").map((part): Specifier => {
    const [, operator, version] = /^\s*(===|==|!=|~=|<=|>=|<|>)\s*(\S+)\s*$/.exec(part) ?? [];
    if (operator === undefined) throw new SyntaxError(`Invalid requirement: '${text}'`);
    return [operator, version!];
  });
  return { name: plainName(name), specifiers };
}

type Versions = Map<string, string>;

interface Wanted {
  /** Empty if it is not known. */
  name: string;
  text: string;
  specifiers: Specifier[];
}

/** The arguments that `pip.install` gets as they are. */
const PASSED = ("requirements use_wheel no_use_wheel no_binary log proxy timeout editable find_links index_url " +
  "extra_index_url no_index mirrors build target download download_cache source upgrade force_reinstall ignore_installed " +
  "exists_action no_deps no_install no_download install_options global_options user cwd pre_releases cert " +
  "allow_all_external allow_external allow_unverified process_dependency_links env_vars use_vt trusted_host no_cache_dir " +
  "extra_args").split(" ");

/** Versions by name, whatever the case of its letters. */
const byName = (found: unknown): Versions =>
  new Map((isMap(found) ? entriesOf(found) : []).map(([name, version]) => [str(name).toLowerCase(), str(version)]));

/** What this pip cannot do; undefined if it can. */
function unsupported(version: string, args: Args): string | undefined {
  const detected = `The version of pip detected was ${version}.`;
  for (const name of ["use_wheel", "no_use_wheel"]) {
    if (truthy(args[name]) && (looseCompare(version, "1.4") < 0 || looseCompare(version, "9.0.3") > 0)) {
      return `The '${name}' option is only supported in pip between 1.4 and 9.0.3. ${detected}`;
    }
  }
  return truthy(args.no_binary) && looseCompare(version, "7.0.0") < 0
    ? `The 'no_binary' option is only supported in pip 7.0.0 and newer. ${detected}`
    : undefined;
}

function wantedOf(texts: readonly string[]): { wanted: Wanted[]; problems: string[] } {
  const wanted: Wanted[] = [];
  const problems: string[] = [];
  for (const text of texts) {
    try {
      wanted.push({ ...parseRequirement(text), text });
    } catch (error) {
      problems.push(
        text.includes("=") && !text.includes("==")
          ? `Invalid version specification in package ${text}. '=' is not supported, use '==' instead.`
          : `pip raised an exception while parsing '${text}': ${messageOf(error)}`,
      );
    }
  }
  return { wanted, problems };
}

/** Why a package need not be installed; undefined if it must. */
async function already(
  context: StateContext,
  { name, text, specifiers }: Wanted,
  args: KeywordArgs,
  installed: Versions,
): Promise<string | undefined> {
  // Where nothing is known, perhaps of an error, pip is asked once more.
  const known = installed.size > 0 ? installed : await list(context, args, name);
  const there = known.get(name.toLowerCase());
  if (args.ignore_installed !== false || args.force_reinstall !== false || there === undefined) return undefined;
  const said = `Python package ${text} was already installed`;
  if (!truthy(args.upgrade)) return fulfilsPep440(there, specifiers) ? said : undefined;
  const names = (letters: string) => specifiers.some(([, version]) => version.includes(letters));
  const { bin_env, user, cwd, index_url, extra_index_url } = args;
  const available = await context.call("pip.list_all_versions", [name], {
    bin_env,
    include_alpha: names("a"),
    include_beta: names("b"),
    include_rc: names("rc"),
    user,
    cwd,
    index_url,
    extra_index_url,
  }) as string[] | null;
  const newest = available?.toReversed().find((version) =>
    specifiers.length === 0 || fulfilsPep440(version, specifiers)
  );
  if (newest === undefined) {
    return `Python package ${name} was already installed and\n` +
      "the available upgrade doesn't fulfills the version requirements";
  }
  return comparePep440(there, newest) === 0 ? said : undefined;
}

async function list(
  context: StateContext,
  { bin_env, user, cwd, env_vars, kwargs }: KeywordArgs,
  prefix?: string,
) {
  return byName(
    prefix === undefined
      ? await context.call("pip.list", [], { bin_env, user, cwd, env_vars })
      : await context.call("pip.list", [prefix, bin_env], { user, cwd, env_vars, ...kwargs }),
  );
}

/** Lines of pip that tell of nothing new. */
const NO_CHANGE = [
  "Requirement already satisfied",
  "Requirement already up-to-date",
  "Requirement not upgraded",
  "Collecting",
  "Cloning",
  "Cleaning up...",
  "Looking in indexes",
];

/** What was done for files of requirements and places that are edited. */
function tellProcessed(name: string, { requirements, editable }: Args, stdout: string): StateReturn {
  const changes: Args = {};
  const comments: string[] = [];
  if (truthy(requirements)) {
    const changed = stdout.split("\n").some((line) => !NO_CHANGE.some((one) => line.trim().startsWith(one)));
    if (changed) changes.requirements = true;
    comments.push(
      changed
        ? `Successfully processed requirements file ${str(requirements)}.`
        : "Requirements were already installed.",
    );
  }
  if (truthy(editable)) {
    changes.editable = true;
    comments.push(`Package successfully installed from VCS checkout ${str(editable)}.`);
  }
  return outcome(name, true, comments.join(" "), changes);
}

async function tellInstalled(
  context: StateContext,
  name: string,
  args: KeywordArgs,
  { targets, said, stdout, last }: { targets: Wanted[]; said: string[]; stdout: string; last: string },
): Promise<StateReturn> {
  const upToDate = new Set(
    [...stdout.matchAll(/^Requirement already up-to-date: *(\S+)/gm)].map(([, one]) => one!.toLowerCase()),
  );
  const changes: Args = {};
  const missing: string[] = [];
  for (const one of targets) {
    if (one.name === "") {
      changes[`${one.text}==???`] = "Installed";
      continue;
    }
    const found = await list(context, args, one.name);
    const version = found.get(one.name.toLowerCase());
    if (found.size === 0) {
      missing.push(
        `There was no error installing package '${last}' although it does not show when calling 'pip.freeze'.`,
      );
    } else if (version !== undefined && !upToDate.has(one.name.toLowerCase())) {
      changes[`${one.name}==${version}`] = "Installed";
    }
  }
  const comment = missing.length === 0 ? "All packages were successfully installed" : missing.join("\n");
  return outcome(name, true, [...said, comment].join("\n"), changes);
}

function tellFailed(
  name: string,
  { requirements, editable }: Args,
  result: Args,
  targets: Wanted[],
  said: string[],
): StateReturn {
  const error = "stdout" in result ? `Error: ${result.stdout} ${result.stderr}` : `Error: ${result.comment}`;
  if (!truthy(requirements) && !truthy(editable)) {
    const names = targets.map(({ text }) => text).join(", ");
    return outcome(name, false, [...said, `Failed to install packages: ${names}. ${error}`].join("\n"));
  }
  const comments = [
    ...(truthy(requirements) ? [`Unable to process requirements file "${str(requirements)}"`] : []),
    ...(truthy(editable) ? [`Unable to install from VCS checkout ${str(editable)}.`] : []),
  ];
  return outcome(name, false, [...comments, error].join(" "));
}

function dryProcessed(name: string, { requirements, editable }: Args): StateReturn {
  const comments = [
    ...(truthy(requirements) ? [`Requirements file '${str(requirements)}' will be processed.`] : []),
    ...(truthy(editable)
      ? [`Package will be installed in editable mode (i.e. setuptools "develop mode") from ${str(editable)}.`]
      : []),
  ];
  return outcome(name, null, comments.join(" "));
}

/** What is to be installed, and what is said of the rest. */
async function targetsOf(context: StateContext, args: KeywordArgs, wanted: Wanted[]) {
  let installed: Versions;
  try {
    installed = await list(context, args);
  } catch (error) {
    context.log.error("cannot list the installed packages before the state", { error: messageOf(error) });
    installed = new Map();
  }
  const targets: Wanted[] = [];
  const said: string[] = [];
  for (const one of wanted) {
    const comment = one.name === "" ? undefined : await already(context, one, args, installed);
    if (comment !== undefined) said.push(comment);
    else targets.push({ ...one, text: one.text.replaceAll(",", ";") });
  }
  return { targets, said };
}

const textOf = (item: unknown): string => isMap(item) ? entriesOf(item)[0]!.map(str).join(" ") : str(item);

export async function pipInstalled(context: StateContext, bound: KeywordArgs): Promise<StateReturn> {
  const args: KeywordArgs = { ...bound, bin_env: truthy(bound.bin_env) ? bound.bin_env : bound.pip_bin };
  if (truthy(args.pkgs) && !Array.isArray(args.pkgs)) {
    return outcome(args.name, false, "pkgs argument must be formatted as a list");
  }
  const texts = ((truthy(args.pkgs) ? args.pkgs : [args.name]) as unknown[]).map(textOf);
  const name = texts.join(";");
  const processed = truthy(args.requirements) || truthy(args.editable);
  const version = await context.call("pip.version", [args.bin_env]).catch(
    fails(
      `Error installing '${str(args.name)}': `,
      messageFor(CommandNotFoundError, CommandExecutionError),
      { name },
    ),
  );
  const lack = unsupported(str(version), args);
  if (lack !== undefined) return outcome(name, false, lack);
  const { wanted, problems } = processed ? { wanted: [], problems: [] } : wantedOf(texts);
  if (problems.length > 0) return outcome(name, false, problems.join("\n"));
  if (
    truthy(args.user) && await hasFunction(context, "user.info") &&
    !truthy(await context.call("user.info", [args.user]))
  ) {
    return outcome(name, false, `User ${str(args.user)} does not exist`);
  }
  if (processed && context.test) {
    checkInstall({ ...args, ...args.kwargs });
    return dryProcessed(name, args);
  }
  const { targets, said } = processed ? { targets: [], said: [] } : await targetsOf(context, args, wanted);
  if (!processed && targets.length === 0) {
    const upToDate = truthy(args.upgrade) ? " and up-to-date" : "";
    return outcome(name, true, [...said, `All specified packages are already installed${upToDate}`].join("\n"));
  }
  if (context.test) {
    checkInstall({ ...args, ...args.kwargs });
    const all = ["Python package(s) set to be installed:", ...texts].join("\n");
    return outcome(name, null, texts.length > 1 ? all : `Python package ${texts[0]} is set to be installed`);
  }
  const result = await context.call("pip.install", [], {
    pkgs: targets.map(({ text }) => text).join(","),
    bin_env: args.bin_env,
    ...Object.fromEntries(PASSED.map((key) => [key, args[key]])),
    saltenv: context.saltenv,
    disable_version_check: true,
    ...args.kwargs,
  });
  if (!isMap(result) || !truthy(result)) return outcome(name, false, "Could not install package");
  if ((lookup(result, "retcode") ?? 1) !== 0) return tellFailed(name, args, result as Args, targets, said);
  const stdout = str(lookup(result, "stdout") ?? "");
  if (processed) return tellProcessed(name, args, stdout);
  return await tellInstalled(context, name, args, { targets, said, stdout, last: texts.at(-1)! });
}
