import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions } from "../../model/loader/family.ts";
import { splitLines } from "../../language/python/text.ts";
import { dirname } from "../../language/python/posixpath.ts";
import { str, truthy } from "../../language/python/values.ts";
import { escapeRegexp } from "../../language/python/substitute.ts";
import { programPath, run, runAll } from "../commands.ts";
import { exists, isFile } from "../linux/paths.ts";
import { linesIn } from "./file/content.ts";

const HEAD = "#\n# Kernel sysctl configuration\n#\n";
/** From this version on, systemd reads only the files of a directory. */
const SYSTEMD_DIRECTORY = 207;

function program(context: JobContext): string {
  const path = programPath(context, "sysctl");
  if (path === undefined) throw new CommandExecutionError("Command 'sysctl' cannot be found");
  return path;
}

async function defaultConfig(context: JobContext): Promise<string> {
  const plain = "/etc/sysctl.conf";
  if (!exists(context.runtime.fs, "/run/systemd/system")) return plain;
  const text = await run(context, ["systemctl", "--version"], { ignore_retcode: true });
  const version = Number(/^systemd (\d+)/.exec(text)?.[1] ?? 0);
  return version >= SYSTEMD_DIRECTORY ? "/etc/sysctl.d/99-salt.conf" : plain;
}

/** Name and value of a line of a configuration file; undefined for comments and anything else. */
function setting(line: string): [string, string] | undefined {
  const at = line.indexOf("=");
  const text = line.trim();
  if (at < 0 || text.startsWith("#")) return undefined;
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

const get = async (context: JobContext, name: string) => await run(context, [program(context), "-n", name]);

async function assign(context: JobContext, name: string, value: string): Promise<Record<string, string>> {
  // In a path, dots and slashes are swapped.
  const path = name.replace(/[./]/g, (character) => character === "." ? "/" : ".");
  if (!exists(context.runtime.fs, `/proc/sys/${path}`)) {
    throw new CommandExecutionError(`sysctl ${name} does not exist`);
  }
  const { retcode, stdout, stderr } = await runAll(context, [program(context), "-w", `${name}=${value}`]);
  const done = new RegExp(`^${escapeRegexp(name)}\\s+=\\s+${escapeRegexp(value)}$`).test(stdout);
  if (!done || stderr.includes("Invalid argument")) {
    throw new CommandExecutionError(`sysctl -w failed: ${retcode !== 0 && stderr !== "" ? stderr : stdout}`);
  }
  const at = stdout.indexOf(" = ");
  return { [stdout.slice(0, at)]: stdout.slice(at + 3) };
}

const sanitized = (value: string) => value.replace(/\s+/g, "\t");

/** Settings of the running kernel. */
export const module: ExecutionModule = {
  virtual: ({ runtime }) =>
    runtime.process.platform === "linux"
      ? true
      : { unavailable: "The linux_sysctl execution module cannot be loaded: only available on Linux systems." },
  functions: executionFunctions({
    "show(config_file=False)": {
      doc: "All settings of the running kernel, or those of a configuration file.\n\n    salt '*' sysctl.show",
      async run(context, { config_file: file }): Promise<unknown> {
        const { fs } = context.runtime;
        if (truthy(file)) {
          const path = str(file);
          if (!exists(fs, path)) return [];
          const settings = splitLines(fs.readText(path)).map(setting).filter((entry) => entry !== undefined);
          return Object.fromEntries(settings);
        }
        const text = await context.call("cmd.run_stdout", [[program(context), "-a"]], { python_shell: false });
        const pairs = splitLines(str(text)).filter((line) => line.includes(" = ")).map((line) => {
          const at = line.indexOf(" = ");
          return [line.slice(0, at), line.slice(at + 3)];
        });
        return Object.fromEntries(pairs);
      },
    },
    "get(name: str)": {
      doc: "One setting of the running kernel.\n\n    salt '*' sysctl.get net.ipv4.ip_forward",
      run: (context, { name }) => get(context, name),
    },
    "assign(name: str, value: str)": {
      doc: "Changes a setting until the next boot.\n\n    salt '*' sysctl.assign net.ipv4.ip_forward 1",
      run: (context, { name, value }) => assign(context, name, value),
    },
    "persist(name: str, value: str, config=None)": {
      doc: "Changes a setting now and for later boots.\n\n    salt '*' sysctl.persist net.ipv4.ip_forward 1",
      async run(context, args): Promise<string> {
        const { fs } = context.runtime;
        const [name, value] = [args.name, args.value];
        const config = args.config === null ? await defaultConfig(context) : str(args.config);
        const attempt = <T>(work: () => T, what: string): T => {
          try {
            return work();
          } catch (cause) {
            throw new CommandExecutionError(`Could not ${what} file: ${config}`, { cause });
          }
        };
        if (!isFile(fs, config)) {
          attempt(() => {
            if (!exists(fs, dirname(config))) fs.mkdir(dirname(config));
            fs.writeAt(config, 0, new TextEncoder().encode(HEAD), { truncate: true, mode: 0o666 });
          }, "write to");
        }
        const lines: string[] = [];
        let edited = false;
        for (const line of linesIn(attempt(() => fs.readText(config), "read from"))) {
          const entry = setting(line);
          if (entry?.[0] !== name) lines.push(line);
          else if (sanitized(entry[1]) !== sanitized(value)) {
            lines.push(`${name} = ${value}\n`);
            edited = true;
          } else {
            // The file has it already: only the running kernel may differ.
            if (sanitized(await get(context, name)) === sanitized(value)) return "Already set";
            await assign(context, name, value);
            return "Updated";
          }
        }
        if (!edited) lines.push(`${name} = ${value}\n`);
        attempt(() => fs.writeAt(config, 0, new TextEncoder().encode(lines.join("")), { truncate: true }), "write to");
        await assign(context, name, value);
        return "Updated";
      },
    },
    "default_config()": {
      doc: "The file that sysctl.persist writes by default.\n\n" +
        "    salt '*' sysctl.default_config",
      run: defaultConfig,
    },
  }),
};
