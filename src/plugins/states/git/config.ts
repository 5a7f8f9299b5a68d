import { CommandExecutionError } from "../../../model/loader/family.ts";
import { stateFunction, type StateReturn } from "../../../model/loader/states.ts";
import { equal, type KeywordArgs, repr, str, truthy } from "../../../language/python/values.ts";
import { gitWords } from "./repository.ts";

type Found = Record<string, string[]>;

const answer = (
  name: unknown,
  result: boolean | null,
  comment: string,
  changes: Record<string, unknown> = {},
): StateReturn => ({ name, changes, result, comment });

/** What is wrong with the arguments. */
function problemOf(kwargs: Record<string, unknown>, known: string[], repo: unknown): string | undefined {
  const unknown = Object.entries(kwargs).filter(([key]) => !key.startsWith("__") && !known.includes(key));
  if (unknown.length > 0) {
    const shown = unknown.map(([key, value]) => `${key}=${str(value)}`).join(", ");
    return `The following keyword arguments are not valid: ${shown}`;
  }
  return truthy(kwargs.global) || truthy(repo)
    ? undefined
    : "Non-global config options require the 'repo' argument to be set";
}

/** The same arguments for each call of git. */
const common = ({ repo, user, password, output_encoding, kwargs }: KeywordArgs) => ({
  cwd: repo,
  user,
  password,
  output_encoding,
  global: kwargs.global ?? false,
});

export const configSet = stateFunction({
  signature: "name, value=None, multivar=None, repo=None, user=None, password=None, output_encoding=None, **kwargs",
  doc: "The option of git has that value, or those values; `global` is the user's configuration.",
  async run(context, args) {
    const { name, value, multivar } = args;
    if (value !== null && multivar !== null) {
      return answer(name, false, "Only one of 'value' and 'multivar' is permitted");
    }
    const problem = problemOf(args.kwargs, ["global"], args.repo);
    if (problem !== undefined) return answer(name, false, problem);
    if (value === null && multivar === null) return answer(name, false, "One of 'value' and 'multivar' is required");
    const wanted = multivar === null
      ? [str(value)]
      : Array.isArray(multivar)
      ? multivar.map(str)
      : str(multivar).split(",");
    const shown = multivar === null ? `'${str(value)}'` : repr(wanted);
    const key = str(name);
    const subject = `${truthy(args.kwargs.global) ? "Global key " : ""}'${key}'`;
    const before = await context.call("git.config_get", [], { key, ignore_retcode: true, all: true, ...common(args) });
    if (equal(before, wanted)) return answer(name, true, `${subject} is already set to ${shown}`);
    const how = before === null ? "added as" : "set to";
    if (context.test) return answer(name, null, `${subject} would be ${how} ${shown}`, { old: before, new: wanted });
    const failure = `Failed to set ${subject.replace(/^G/, "g")} to ${shown}`;
    let after: unknown;
    try {
      const given = multivar === null ? { value: str(value), multivar } : { value, multivar: wanted };
      after = await context.call("git.config_set", [], { key, ...given, ...common(args) });
    } catch (error) {
      if (!(error instanceof CommandExecutionError)) throw error;
      return answer(name, false, `${failure}: ${gitWords(error)}`);
    }
    const changes = equal(before, after) ? {} : { [key]: { old: before, new: after } };
    return equal(after, wanted)
      ? answer(name, true, `${subject} was ${how} ${shown}`, changes)
      : answer(name, false, failure, changes);
  },
});

const listed = (found: [string, string[]][]) =>
  found.map(([key, values]) => `${key} (${values.join(", ")})`).join("; ");

export const configUnset = stateFunction({
  signature: "name, value_regex=None, repo=None, user=None, password=None, output_encoding=None, **kwargs",
  doc: "The option of git has no value, or none that matches; `all` takes several.",
  async run(context, args) {
    const { name } = args;
    const problem = problemOf(args.kwargs, ["global", "all"], args.repo);
    if (problem !== undefined) return answer(name, false, problem);
    const pattern = args.value_regex === null ? null : str(args.value_regex);
    const all = truthy(args.kwargs.all);
    const key = `^${str(name).replace(/^\^+/, "").replace(/\$+$/, "")}$`;
    const find = async (value_regex: string | null) =>
      await context.call("git.config_get_regexp", [], {
        key,
        value_regex,
        ignore_retcode: true,
        ...common(args),
      }) as Found;
    const matches = Object.entries(await find(pattern));
    if (matches.length === 0) return answer(name, true, "No matching keys are set");
    const several = matches.filter(([, values]) => values.length > 1);
    if (!all && several.length > 0) {
      const what = pattern === null
        ? "Multivar(s) matched by the key expression"
        : "Multiple values are matched by value_regex for the following keys";
      return answer(name, false, `${what} (set 'all' to True to force removal): ${listed(several)}`);
    }
    if (context.test) {
      return answer(name, null, `${matches.length} key(s) would have value(s) unset`, Object.fromEntries(matches));
    }
    const before = await find(null);
    const failed: string[] = [];
    for (const [found] of matches) {
      try {
        await context.call("git.config_unset", [], { key: name, value_regex: pattern, all, ...common(args) });
      } catch (error) {
        if (!(error instanceof CommandExecutionError)) throw error;
        context.log.error("failed to unset", { key: found, why: gitWords(error) });
        failed.push(found);
      }
    }
    if (failed.length > 0) {
      const where = "Error(s) occurred unsetting values for the following keys (see the minion log for details)";
      return answer(name, false, `${where}: ${failed.join(", ")}`);
    }
    const after = await find(null);
    const changes: Found = {};
    for (const [found, values] of Object.entries(before)) {
      const gone = values.filter((value) => !(after[found] ?? []).includes(value));
      if (gone.length > 0) changes[found] = gone;
    }
    const left = Object.entries(await find(pattern));
    return left.length > 0
      ? answer(name, false, `Failed to unset value(s): ${listed(left)}`, changes)
      : answer(name, true, "Value(s) successfully unset", changes);
  },
});
