import { joinPath } from "../../base/paths.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import {
  CommandExecutionError,
  CommandNotFoundError,
  executionFunction,
  executionFunctions,
} from "../../model/loader/family.ts";
import { type Args, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { splitLines, splitWords } from "../../language/python/text.ts";
import { programPath, runAll } from "../commands.ts";
import { isDirectory, isFile } from "../linux/paths.ts";
import { configparser } from "../serializers/configparser.ts";

const CONFIGS = ["/etc/supervisor/supervisord.conf", "/etc/supervisord.conf"];

/** supervisorctl of the host, of a virtual environment, or the one that is named. */
function programOf(context: JobContext, env: unknown): string {
  const { fs } = context.runtime;
  const path = truthy(env)
    ? isDirectory(fs, str(env)) ? joinPath(str(env), "bin/supervisorctl") : str(env)
    : programPath(context, "supervisorctl");
  if (path === undefined || (truthy(env) && isDirectory(fs, str(env)) && !isFile(fs, path))) {
    throw new CommandNotFoundError("Could not find a `supervisorctl` binary");
  }
  return path;
}

/** What supervisorctl prints; with `ERROR` in front if it failed. */
async function control(context: JobContext, command: string, name: unknown, args: Args): Promise<string> {
  const config = args.conf_file === null || args.conf_file === undefined ? [] : ["-c", str(args.conf_file)];
  const words = [programOf(context, args.bin_env), ...config, command, ...(truthy(name) ? [str(name)] : [])];
  const { retcode, stdout } = await runAll(context, words, { runas: args.user ?? null });
  return retcode !== 0 && !stdout.includes("ERROR") ? `ERROR: ${stdout}` : stdout;
}

/** `group:*` is every process of a group, for which supervisorctl is told `group:`. */
const processes = (name: unknown): string => str(name).replace(/:\*$/, ":");

const groupOf = (name: unknown): unknown => typeof name === "string" ? name.replace(/:\*?$/, "") : name;

function parseLine(line: string): [process: string, state: string, reason: string] {
  const [, process = "", state = "", reason = ""] = /^\s*(\S+)\s*(\S*)\s*(.*)$/.exec(line) ?? [];
  return [process, state, reason];
}

/** A value as it is meant: a number, yes or no, or text. */
function valueOf(text: string): unknown {
  const bare = text.split(";")[0]!.trim();
  if (/^[+-]?\d+(?:_\d+)*$/.test(bare) || /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(bare)) {
    return Number(bare.replaceAll("_", ""));
  }
  return /^true$/i.test(bare) ? true : /^false$/i.test(bare) ? false : bare;
}

const PLACE = "user=None, conf_file=None, bin_env=None";
const HOW = "\n\nname: of a process, of a group with a colon behind it, or all\nconf_file: path of supervisord.conf\n" +
  "bin_env: a virtual environment, or the path of supervisorctl";

const acting = (fun: string, doc: string) =>
  executionFunction({
    signature: `name='all', ${PLACE}`,
    doc: `${doc}\n\n    salt '*' supervisord.${fun} web:${HOW}`,
    run: (context, args) => control(context, fun, processes(args.name), args),
  });

const grouping = (fun: string, doc: string) =>
  executionFunction({
    signature: `name, ${PLACE}`,
    doc: `${doc}\n\n    salt '*' supervisord.${fun} web${HOW}`,
    run: (context, args) => control(context, fun, groupOf(args.name), args),
  });

export const module: ExecutionModule = {
  functions: executionFunctions({
    start: acting("start", "Starts processes."),
    restart: acting("restart", "Restarts processes, without reading the configuration again."),
    stop: acting("stop", "Stops processes."),
    add: grouping("add", "Activates what the configuration has of a process or a group."),
    remove: grouping("remove", "Removes a process or a group from the running configuration."),
    [`reread(${PLACE})` as const]: {
      doc: `Reads the configuration again; nothing is restarted.\n\n    salt '*' supervisord.reread${HOW}`,
      run: (context, args) => control(context, "reread", null, args),
    },
    [`update(${PLACE}, name=None)` as const]: {
      doc: `Reads the configuration again, and adds, removes and restarts what changed.\n\n` +
        `    salt '*' supervisord.update${HOW}`,
      run: (context, args) => control(context, "update", groupOf(args.name), args),
    },
    [`status(name=None, ${PLACE})` as const]: {
      doc: `The processes with their states.\n\n    salt '*' supervisord.status${HOW}`,
      async run(context, args): Promise<Record<string, { state: string; reason: string }>> {
        const lines = splitLines(await control(context, "status", args.name, args)).filter((line) =>
          line.trim() !== ""
        );
        return Object.fromEntries(lines.map(parseLine).map(([process, state, reason]) => [process, { state, reason }]));
      },
    },
    [`status_raw(name=None, ${PLACE})` as const]: {
      doc: `The same, as supervisorctl prints it.\n\n    salt '*' supervisord.status_raw${HOW}`,
      run: (context, args) => control(context, "status", args.name, args),
    },
    [`status_bool(name, expected_state=None, ${PLACE})` as const]: {
      doc: `Whether there is a process, and has a state.\n\n` +
        `    salt '*' supervisord.status_bool web expected_state=RUNNING${HOW}`,
      async run(context, args): Promise<boolean> {
        const last = splitLines(await control(context, `status ${str(args.name)}`, null, args)).at(-1) ?? "";
        const [process, state, reason] = parseLine(last);
        if (process !== args.name || (splitWords(last).length > 2 && reason === "(no such process)")) return false;
        return args.expected_state === null || state === args.expected_state;
      },
    },
    [`custom(command: str, ${PLACE})` as const]: {
      doc: `Runs any command of supervisorctl.\n\n    salt '*' supervisord.custom 'mstop *gunicorn*'${HOW}`,
      run: (context, args) => control(context, args.command, null, args),
    },
    "options(name: str, conf_file=None)": {
      doc: `What the configuration says of a process.\n\n    salt '*' supervisord.options web${HOW}`,
      run(context, { name, conf_file: given }): Args {
        const { fs } = context.runtime;
        const path = given === null ? CONFIGS.find((one) => isFile(fs, one)) : str(given);
        if (path === undefined) throw new CommandExecutionError("No suitable config file found");
        const sections = isFile(fs, path) ? configparser.deserialize!(fs.read(path), {}) : {};
        const found = isMap(sections) ? lookup(sections, `program:${name}`) : undefined;
        if (!(found instanceof Map)) throw new CommandExecutionError(`Process '${name}' not found`);
        return Object.fromEntries([...found as Map<string, string>].map(([key, value]) => [key, valueOf(value)]));
      },
    },
  }),
};
