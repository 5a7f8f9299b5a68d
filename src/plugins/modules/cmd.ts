import { messageOf } from "../../base/errors.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunction, executionFunctions } from "../../model/loader/family.ts";
import { type Args, type KeywordArgs, str, truthy } from "../../language/python/values.ts";
import { runInChroot } from "./cmd/chroot.ts";
import { commandOptions, COMMON_KEYWORDS } from "./cmd/options.ts";
import { type CommandResult, runCommand } from "./cmd/run.ts";
import { runCode, runScript } from "./cmd/script.ts";
import { type FileTemplate, renderedWords } from "../templates.ts";
import { programPath } from "../commands.ts";

const SUCCESS = "success_retcodes=None, success_stdout=None, success_stderr=None, **kwargs";

const KEYWORDS = `

cwd: where it runs; by default the home directory of its user
stdin: text for its standard input, in which \\n ends a line, unless stdin_raw_newlines is true
runas, group: the user and group that it runs as
python_shell, shell: have a shell read the command; otherwise it is split into words, and nothing expands
env: variables, as a map; null removes one. clean_env: no other variables
prepend_path: comes before the search path
umask: permission bits that new files do not get, in octal
timeout: seconds after which it is killed, with all that it started
rstrip: cut white space at the end. hide_output: return no output
output_encoding: encoding of its output, utf-8 by default
reset_system_locale: messages in English. ignore_retcode: its code is not that of the job
success_retcodes, success_stdout, success_stderr: codes and texts that count as success`;

/** How a script is rendered before it is run: with what the call gives as `context` and other keywords. */
function templateOf(args: Args): FileTemplate | undefined {
  if (!truthy(args.template)) return undefined;
  const { context, ...names } = (args.kwargs ?? {}) as Record<string, unknown>;
  return { engine: str(args.template), saltenv: args.saltenv, names, defaults: names, context };
}

async function run(context: JobContext, args: KeywordArgs, changes: Args = {}): Promise<CommandResult> {
  const [cmd, cwd] = await renderedWords(context, [args.cmd, args.cwd], { ...args.kwargs, ...args });
  return await runCommand(context, cmd, commandOptions({ ...args, ...changes, cmd, cwd }, context));
}

/** Standard error apart from standard output. */
const APART = { redirect_stderr: false };

/** How to read the version of a program: its arguments, and a pattern in the output. */
const SHELL_VERSIONS: Record<string, { argv: string[]; pattern: RegExp }> = {
  bash: { argv: ["bash", "--version"], pattern: /version (\d+\.\d+\.\d+)/ },
  perl: { argv: ["perl", "--version"], pattern: /\(v(\d+\.\d+\.\d+)\)/ },
  php: { argv: ["php", "--version"], pattern: /PHP (\d+\.\d+\.\d+)/ },
  python: { argv: ["python", "--version"], pattern: /(\d+\.\d+\.\d+)/ },
  python3: { argv: ["python3", "--version"], pattern: /(\d+\.\d+\.\d+)/ },
  ruby: { argv: ["ruby", "--version"], pattern: /ruby (\d+\.\d+\.\d+)/ },
  zsh: { argv: ["zsh", "--version"], pattern: /zsh (\d+\.\d+(?:\.\d+)?)/ },
};

async function shellInfo(context: JobContext, shell: string): Promise<Record<string, unknown>> {
  const known = Object.hasOwn(SHELL_VERSIONS, shell) ? SHELL_VERSIONS[shell] : undefined;
  if (known === undefined) {
    return { error: `Salt does not know how to get the version number for ${shell}`, installed: null };
  }
  const path = programPath(context, known.argv[0]!);
  if (path === undefined) return { installed: false, path: null, error: `${known.argv[0]} is not in the search path` };
  const options = commandOptions({ ignore_retcode: true, timeout: 10, redirect_stderr: true }, context);
  const { stdout } = await runCommand(context, known.argv, options);
  const version = known.pattern.exec(stdout)?.[1];
  if (version === undefined) return { installed: null, path, error: "The version is not in what it printed", stdout };
  return { installed: true, path, version, version_raw: version };
}

function writeTerminal(context: JobContext, device: string, text: string): Record<string, string> {
  const { fs } = context.runtime;
  const name = device.replace(/^\/dev\//, "");
  const path = `/dev/${name}`;
  if (!/^(?:tty[A-Za-z0-9]*|pts\/\d+|console)$/.test(name) || fs.stat(path)?.kind !== "character") {
    return { Error: "The specified device is not a valid TTY" };
  }
  try {
    fs.writeAt(path, 0, new TextEncoder().encode(`${text}\n`));
    return { Success: `Message was successfully echoed to ${path}` };
  } catch (error) {
    return { Error: `Echoing to ${path} failed: ${messageOf(error)}` };
  }
}

/** The environment that a script is fetched from. @default the minion's own */
const envOf = ({ saltenv }: Args) => truthy(saltenv) ? str(saltenv) : undefined;

export const module: ExecutionModule = {
  functions: executionFunctions({
    run: executionFunction({
      signature: `cmd, ${COMMON_KEYWORDS}, redirect_stderr=True, bg=False, password=None, encoded_cmd=False,
        raise_err=False, prepend_path=None, ${SUCCESS}`,
      doc: "Runs a command and returns its output, standard error included.\n\n" +
        `    salt '*' cmd.run 'ls -l /etc'\n    salt '*' cmd.run 'ls | wc -l' python_shell=True${KEYWORDS}\n` +
        "redirect_stderr: with the standard error among the output. bg: do not wait for it\n" +
        "raise_err: fail if its code says failure",
      async run(context, args) {
        const { stdout, retcode } = await run(context, args);
        if (truthy(args.raise_err) && retcode !== 0) throw new CommandExecutionError(stdout);
        return stdout;
      },
    }),
    [`run_stdout(cmd, ${COMMON_KEYWORDS}, password=None, prepend_path=None, ${SUCCESS})` as const]: {
      doc: `Runs a command and returns its standard output.\n\n    salt '*' cmd.run_stdout 'ls -l'${KEYWORDS}`,
      run: async (context, args) => (await run(context, args, APART)).stdout,
    },
    [`run_stderr(cmd, ${COMMON_KEYWORDS}, password=None, prepend_path=None, ${SUCCESS})` as const]: {
      doc: `Runs a command and returns its standard error.\n\n    salt '*' cmd.run_stderr 'ls nosuch'${KEYWORDS}`,
      run: async (context, args) => (await run(context, args, APART)).stderr,
    },
    run_all: executionFunction({
      signature: `cmd, ${COMMON_KEYWORDS}, redirect_stderr=False, password=None, encoded_cmd=False,
        prepend_path=None, ${SUCCESS}`,
      doc: "Runs a command and returns its pid, its return code, standard output and standard error.\n\n" +
        `    salt '*' cmd.run_all 'ls -l'${KEYWORDS}\nredirect_stderr: with the standard error among the output`,
      run: (context, args) => run(context, args),
    }),
    retcode: executionFunction({
      signature: `cmd, cwd=None, stdin=None, runas=None, group=None, shell=None, python_shell=None, env=None,
        clean_env=False, template=None, umask=None, output_encoding=None, output_loglevel='debug',
        log_callback=None, timeout=None, reset_system_locale=True, ignore_retcode=False, saltenv=None, use_vt=False,
        password=None, ${SUCCESS}`,
      doc: `Runs a command and returns its return code.\n\n    salt '*' cmd.retcode 'test -d /srv'${KEYWORDS}`,
      run: async (context, args) => (await run(context, args, { redirect_stderr: true })).retcode,
    }),
    shell: executionFunction({
      signature: `cmd, cwd=None, stdin=None, runas=None, group=None, shell=None, env=None, clean_env=False,
        template=None, rstrip=True, umask=None, output_encoding=None, output_loglevel='debug', log_callback=None,
        hide_output=False, timeout=None, reset_system_locale=True, ignore_retcode=False, saltenv=None, use_vt=False,
        bg=False, password=None, prepend_path=None, ${SUCCESS}`,
      doc: "Runs a command in a shell and returns its output. Never pass it text from users.\n\n" +
        `    salt '*' cmd.shell 'ls -l | wc -l'${KEYWORDS}`,
      async run(context, args) {
        return (await run(context, args, { python_shell: true, redirect_stderr: true })).stdout;
      },
    }),
    run_bg: executionFunction({
      signature: `cmd, cwd=None, runas=None, group=None, shell=None, python_shell=None, env=None, clean_env=False,
        template=None, umask=None, timeout=None, output_encoding=None, output_loglevel='debug', log_callback=None,
        reset_system_locale=True, ignore_retcode=False, saltenv=None, password=None, prepend_path=None, ${SUCCESS}`,
      doc: "Starts a command and returns its pid without waiting for it to end.\n\n" +
        "    salt '*' cmd.run_bg 'fstrim /'",
      run: async (context, args) => ({ pid: (await run(context, args, { bg: true })).pid }),
    }),
    script: executionFunction({
      signature: `source, args=None, cwd=None, stdin=None, runas=None, group=None, shell=None, python_shell=None,
        env=None, template=None, umask=None, output_encoding=None, output_loglevel='debug', log_callback=None,
        hide_output=False, timeout=None, reset_system_locale=True, saltenv=None, use_vt=False, bg=False,
        password=None, ${SUCCESS}`,
      doc:
        "Runs a copy of a script and returns what cmd.run_all returns. The source is a file of the minion, of the master " +
        "(salt://) or of a web server (http://, https://); cache_error if it cannot be fetched.\n\n" +
        "    salt '*' cmd.script salt://check.sh 'first second'\n\nsaltenv: the environment of a file of the master",
      run: (context, args) =>
        runScript(
          context,
          str(args.source),
          args.args,
          commandOptions({ ...args, bg: false }, context),
          envOf(args),
          templateOf(args),
        ),
    }),
    script_retcode: executionFunction({
      signature: `source, args=None, cwd=None, stdin=None, runas=None, group=None, shell=None, python_shell=None,
        env=None, template=None, umask=None, timeout=None, reset_system_locale=True, saltenv=None,
        output_encoding=None, output_loglevel='debug', log_callback=None, use_vt=False, password=None, ${SUCCESS}`,
      doc:
        "Runs a script as cmd.script does and returns its return code.\n\n    salt '*' cmd.script_retcode /srv/check.sh",
      run: async (context, args) =>
        (await runScript(
          context,
          str(args.source),
          args.args,
          commandOptions(args, context),
          envOf(args),
          templateOf(args),
        )).retcode,
    }),
    "exec_code(lang, code, cwd=None, args=None, **kwargs)": {
      doc: "Runs code with an interpreter and returns its standard output.\n\n" +
        `    salt '*' cmd.exec_code python3 'print("hello")'`,
      run: async (context, args) =>
        (await runCode(context, args.lang, args.code, args.args, commandOptions(args, context))).stdout,
    },
    "exec_code_all(lang, code, cwd=None, args=None, **kwargs)": {
      doc: "Runs code with an interpreter and returns what cmd.run_all returns.\n\n" +
        `    salt '*' cmd.exec_code_all python3 'print("hello")'`,
      run: (context, args) => runCode(context, args.lang, args.code, args.args, commandOptions(args, context)),
    },
    run_chroot: executionFunction({
      signature: `root, cmd, ${
        COMMON_KEYWORDS.replace("python_shell=None", "python_shell=True, binds=None")
      }, bg=False, ${SUCCESS}`,
      doc:
        "Runs a command in a shell with another directory as its root, and returns what cmd.run_all returns. While it runs, dev,\n" +
        "proc and sys are mounted there; what it leaves running is ended.\n\n" +
        `    salt '*' cmd.run_chroot /srv/images/one 'sh /tmp/setup.sh'${KEYWORDS}\n` +
        "runas, group: as they are known in there. binds: more directories of this host to mount there",
      run: runInChroot,
    }),
    "has_exec(cmd: str)": {
      doc: "True if a program of this name is installed.\n\n    salt '*' cmd.has_exec cat",
      run: (context, { cmd }) => programPath(context, cmd) !== undefined,
    },
    "which(cmd: str)": {
      doc: "The full path of a program, or null.\n\n    salt '*' cmd.which cat",
      run: (context, { cmd }) => programPath(context, cmd) ?? null,
    },
    "which_bin(cmds)": {
      doc: "The full path of the first of these programs that is installed, or null.\n\n" +
        "    salt '*' cmd.which_bin '[pip3, pip]'",
      run(context, { cmds }) {
        const names: unknown[] = Array.isArray(cmds) ? cmds : str(cmds).split(",");
        for (const name of names) {
          const path = programPath(context, str(name).trim());
          if (path !== undefined) return path;
        }
        return null;
      },
    },
    "shells()": {
      doc: "The login shells in /etc/shells.\n\n    salt '*' cmd.shells",
      run(context): string[] {
        const { fs } = context.runtime;
        if (fs.stat("/etc/shells")?.kind !== "file") return [];
        return fs.readText("/etc/shells").split("\n").map((line) => line.trim())
          .filter((line) => line !== "" && !line.startsWith("#"));
      },
    },
    "shell_info(shell: str, list_modules=False)": {
      doc: "Whether a shell or script language is installed, where, and in which version.\n\n" +
        "    salt '*' cmd.shell_info bash",
      run: (context, { shell }) => shellInfo(context, shell),
    },
    "tty(device: str, echo: str='')": {
      doc: "Prints a text on a terminal.\n\n    salt '*' cmd.tty tty0 'This is a test'",
      run: (context, { device, echo }) => writeTerminal(context, device, echo),
    },
  }),
};
