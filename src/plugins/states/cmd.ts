import { type StateContext, stateFunctions, type StateModule, type StateReturn } from "../../model/loader/states.ts";
import { CommandExecutionError } from "../../model/loader/family.ts";
import { messageOf } from "../../base/errors.ts";
import type { Args, KeywordArgs } from "../../language/python/values.ts";
import { entriesOf, isMap, lookup, str, truthy, typeName } from "../../language/python/values.ts";
import { typeError } from "../../language/python/python_error.ts";
import { reinterpreted } from "./cmd/stateful.ts";

type CommandResult = Record<string, unknown>;

const COMMON = "use_vt=False, success_retcodes=None, success_stdout=None, success_stderr=None, **kwargs";

const fresh = (name: unknown): StateReturn => ({ name, changes: {}, result: false, comment: "" });

const nothing = { run: (_context: StateContext, { name }: Args) => ({ ...fresh(name), result: true }) };

/** Whether stdout tells what was changed, and the command that tells it in a dry run. */
function statefulOf(stateful: unknown): { stateful: boolean; testName: unknown } {
  if (!Array.isArray(stateful)) return { stateful: stateful === true, testName: undefined };
  const [first] = stateful;
  return { stateful: stateful.length > 0, testName: isMap(first) ? lookup(first, "test_name") : undefined };
}

/** Why a command cannot be run with these arguments; undefined if it can. */
function wrongArguments({ env, context, defaults }: Args): string | undefined {
  if (env !== null && !Array.isArray(env) && !isMap(env)) {
    return "Invalidly-formatted 'env' parameter. See documentation.";
  }
  for (const [name, value] of [["context", context ?? null], ["defaults", defaults ?? null]] as const) {
    if (truthy(value) && !isMap(value)) return `Invalidly-formatted '${name}' parameter. Must be formed as a dict.`;
  }
  return undefined;
}

/** One way to run a command: what is called with which words. */
interface Way {
  quote: string;
  /** The changes of a dry run. */
  planned(name: unknown): Record<string, unknown>;
  call(context: StateContext, name: unknown, args: KeywordArgs): Promise<CommandResult>;
  /** What of the errors of `call` becomes a comment. */
  expected(error: unknown): boolean;
}

async function runBy(way: Way, context: StateContext, args: KeywordArgs): Promise<StateReturn> {
  const { stateful, testName } = statefulOf(args.stateful);
  const name = context.test && truthy(testName ?? null) ? testName : args.name;
  const ret = fresh(way.quote === '"' ? args.name : name);
  const wrong = wrongArguments(args);
  if (wrong !== undefined) return { ...ret, comment: wrong };
  if (context.test && !truthy(testName ?? null)) return dryRun(way, ret, name, stateful);
  if (truthy(args.cwd) && context.runtime.fs.stat(str(args.cwd))?.kind !== "directory") {
    return { ...ret, comment: `Desired working directory "${str(args.cwd)}" is not available` };
  }
  let result: CommandResult;
  try {
    result = await way.call(context, name, args);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!way.expected(error)) throw error;
    return { ...ret, comment: messageOf(error) };
  }
  return finished(way, context, args, { ret, name, result, stateful });
}

function dryRun({ quote, planned }: Way, ret: StateReturn, name: unknown, stateful: boolean): StateReturn {
  const comment = `Command ${quote}${str(name)}${quote} would have been executed`;
  const planning = { ...ret, result: null, comment, changes: planned(name) };
  return stateful ? reinterpreted(planning) : planning;
}

/** The changes of a command that took too long: a command has no code then, and a state counts it as failure. */
function ofTimeout({ pid, stdout, stderr, retcode }: CommandResult, ignore: boolean): CommandResult {
  if (retcode !== null && retcode !== 1) return { pid, retcode, stdout, stderr };
  return { stdout, stderr, retcode: ignore ? 0 : 1, pid };
}

function finished(
  { quote }: Way,
  context: StateContext,
  args: Args,
  { ret, name, result, stateful }: { ret: StateReturn; name: unknown; result: CommandResult; stateful: boolean },
): StateReturn {
  const changes = str(result.stdout ?? "").includes("Timed out after")
    ? ofTimeout(result, truthy(args.ignore_timeout ?? null))
    : result;
  const comment = changes.cache_error
    ? `Unable to cache script ${str(args.source ?? name)} from saltenv '${context.saltenv}'`
    : `Command ${quote}${str(name)}${quote} run`;
  const done = { ...ret, changes, result: !truthy(changes.retcode), comment };
  const told = stateful ? reinterpreted(done) : done;
  const planned = context.test && result.retcode === 0 && Object.keys(told.changes).length > 0;
  return planned ? { ...told, result: null } : told;
}

const COMMAND: Way = {
  quote: '"',
  planned: (name) => ({ cmd: name }),
  call: async (context, name, args) => {
    const { cwd, root, runas, password, use_vt, env, prepend_path, output_loglevel, hide_output, timeout } = args;
    const { success_retcodes, success_stdout, success_stderr, kwargs } = args;
    if ("python_shell" in kwargs) {
      const fun = "salt.loaded.int.module.cmdmod.run_all()";
      throw new TypeError(`${fun} got multiple values for keyword argument 'python_shell'`);
    }
    const shell = truthy(args.shell) ? args.shell : context.grains.shell ?? null;
    const keyword = {
      ...kwargs,
      ...{ cwd, root, runas, password, use_vt, shell, env, prepend_path, output_loglevel, hide_output, timeout },
      ...{ success_retcodes, success_stdout, success_stderr, cmd: name, python_shell: true },
    };
    return await context.call(truthy(root) ? "cmd.run_chroot" : "cmd.run_all", [], keyword) as CommandResult;
  },
  expected: () => true,
};

const SCRIPT: Way = {
  quote: "'",
  planned: () => ({}),
  call: async (context, name, args) => {
    const { runas, password, env, cwd, template, timeout, output_loglevel, hide_output, use_vt, kwargs } = args;
    const { success_retcodes, success_stdout, success_stderr } = args;
    const [, words] = /^\S+ (.+)$/s.exec(str(name)) ?? [];
    const own = truthy(kwargs.args ?? null) || words === undefined ? {} : { args: words };
    const values = [args.defaults, args.context].filter(isMap).flatMap(entriesOf);
    const shell = truthy(args.shell) ? args.shell : context.grains.shell ?? null;
    const keyword = {
      ...kwargs,
      ...own,
      ...{ runas, password, shell, env, cwd, template, timeout, output_loglevel, hide_output, use_vt },
      ...{ success_retcodes, success_stdout, success_stderr, python_shell: true },
      context: Object.fromEntries(values),
      saltenv: context.saltenv,
    };
    return await context.call("cmd.script", [args.source ?? name], keyword) as CommandResult;
  },
  expected: (error) =>
    error instanceof CommandExecutionError || (error instanceof Error && /^(?:Salt)?Render|^System/.test(error.name)),
};

const RUN = `name, cwd=None, root=None, runas=None, password=None, shell=None, env=None, prepend_path=None,
  stateful=False, output_loglevel='debug', hide_output=False, timeout=None, ignore_timeout=False, ${COMMON}` as const;
const WAIT = "name, cwd=None, root=None, runas=None, shell=None, env=(), stateful=False, output_loglevel='debug', " +
  `hide_output=False, ${COMMON}`;
const SCRIPTS = `name, source=None, template=None, cwd=None, runas=None, password=None, shell=None, env=None,
  stateful=False, timeout=None, use_vt=False, output_loglevel='debug', hide_output=False, defaults=None,
  context=None, success_retcodes=None, success_stdout=None, success_stderr=None, **kwargs`;
const WAIT_SCRIPT = "name, source=None, template=None, cwd=None, runas=None, shell=None, env=None, stateful=False, " +
  "use_vt=False, output_loglevel='debug', hide_output=False, success_retcodes=None, success_stdout=None, " +
  "success_stderr=None, **kwargs";
const CALL = "name, func, args=(), kws=None, output_loglevel='debug', hide_output=False, use_vt=False, **kwargs";

/** What is done when something that a command watches has changed: function of the chunk → function. */
const WATCHED: Record<string, "run" | "script"> = {
  wait: "run",
  run: "run",
  watch: "run",
  wait_script: "script",
  script: "script",
};

/** Commands, run when a state says so. They are not idempotent by themselves: `unless`, `onlyif` and `creates` make them so. */
export const states: StateModule = {
  functions: stateFunctions({
    [`run(${RUN})` as const]: {
      doc: "Runs a command in a shell.",
      run: (context, args) => runBy(COMMAND, context, args),
    },
    [`script(${SCRIPTS})` as const]: {
      doc: "Fetches a script, renders it if `template` is given, and runs it. Words behind its name are its arguments.",
      run: (context, args) => runBy(SCRIPT, context, args),
    },
    wait: { signature: WAIT, doc: "Runs a command if something that it watches has changed.", ...nothing },
    watch: { signature: WAIT, doc: "The same as cmd.wait.", ...nothing },
    wait_script: {
      signature: WAIT_SCRIPT,
      doc: "Runs a script if something that it watches has changed.",
      ...nothing,
    },
    [`call(${CALL})` as const]: {
      doc: "Not available: it calls a function of a Python program that renders states.",
      run: (_context, { func }) => {
        const problem = `'${typeName(func)}' object is not callable`;
        throw typeError(`${problem}: cmd.call needs a function of Python. Call an execution function with module.run`);
      },
    },
    wait_call: { signature: CALL, doc: "Not available, as cmd.call.", ...nothing },
    "mod_watch(name, **kwargs)": {
      doc: "Does what was asked for, since something that it watches has changed.",
      async run(context, { name, kwargs }) {
        const { sfun, stateful, ...rest } = kwargs;
        const fun = WATCHED[str(sfun)];
        if (fun === undefined) {
          const comment = sfun === "call" || sfun === "wait_call"
            ? `cmd.${sfun} needs a named parameter func`
            : `cmd.${str(sfun)} does not work with the watch requisite, please use cmd.wait or cmd.wait_script`;
          return { ...fresh(name), comment };
        }
        const ret = await context.callState(`cmd.${fun}`, { name, ...rest });
        return truthy(stateful ?? null) ? reinterpreted(ret) : ret;
      },
    },
  }),
};
