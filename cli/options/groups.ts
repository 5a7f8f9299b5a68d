/** Options that several programs share, and their rules. */
import { LOG_LEVELS } from "../../src/base/log.ts";
import { flagOption, int, type Option, option, type OptionGroup, quote, type Stop, textOption } from "./option.ts";
import type { Env, RunRequest } from "./request.ts";

/** Levels of the console, in the order of Salt's message: scripts compare it. */
const CONSOLE_LEVELS = [
  "all",
  "debug",
  "error",
  "critical",
  "garbage",
  "info",
  "profile",
  "quiet",
  "trace",
  "warning",
] as const;

const level = (names: string, dest: string, help: string, choices: readonly string[]): Option => ({
  ...option("choice", names, dest, `${help}. One of ${LOG_LEVELS.join(", ")}.`, "warning"),
  choices,
});

export const general = (env: Env, { saltfile = true, crash = false } = {}): Option[] => [
  option("version", "--version", "version", "Show the version and exit."),
  flagOption(
    "-V --versions-report",
    "versions_report",
    "Show the versions of this program and its runtime, and exit.",
  ),
  option("help", "-h --help", "help", "Show this text and exit."),
  ...(saltfile ? [textOption("--saltfile", "saltfile", "A Saltfile: a file with default values of options.")] : []),
  textOption(
    "-c --config-dir",
    "config_dir",
    "Directory of the configuration files. Default: /etc/salt.",
    env.SALT_CONFIG_DIR || "/etc/salt",
  ),
  ...(crash
    ? [
      flagOption(
        "--hard-crash",
        "hard_crash",
        "Exit with 1 on signals and unhandled errors.",
        Boolean(env.SALT_HARD_CRASH),
      ),
    ]
    : []),
];

export const words = (env: Env): Option[] => [
  flagOption("--args-stdin", "args_stdin", "Read further options and arguments from stdin, one per line."),
  textOption("--no-parse", "no_parse", "Keyword arguments to pass as strings: a,b,...", env.SALT_NO_PARSE ?? ""),
];

export const timeout = (seconds: number, dest = "timeout") =>
  int("-t --timeout", dest, `Seconds to wait for answers. Default: ${seconds}.`, seconds);

export const logging = (short: boolean, file = "log_file"): OptionGroup => ({
  title: "Logging Options",
  options: [
    level(short ? "-l --log-level" : "--log-level", "log_level", "Level of messages on the console", CONSOLE_LEVELS),
    textOption("--log-file", file, "File for messages."),
    level("--log-file-level", "log_level_logfile", "Level of messages in the file", LOG_LEVELS),
  ],
});

export const outputOptions = (): OptionGroup => ({
  title: "Output Options",
  options: [
    textOption(
      "--out --output",
      "output",
      "How to print results: nested, json, yaml, txt, raw, table, highstate, quiet or another outputter.",
    ),
    int("--out-indent --output-indent", "output_indent", "Indentation of the output, if the outputter has one."),
    textOption("--out-file --output-file", "output_file", "File to write results to."),
    flagOption("--out-file-append --output-file-append", "output_file_append", "Append to that file."),
    flagOption("--no-color --no-colour", "no_color", "Never use colors."),
    flagOption("--force-color --force-colour", "force_color", "Always use colors."),
    textOption(
      "--state-output --state_output",
      "state_output",
      "How much of a state to print: full, terse, mixed, changes or filter.",
    ),
    textOption(
      "--state-verbose --state_verbose",
      "state_verbose",
      "Whether to print states without changes: True or False.",
    ),
  ],
});

export const eauthOptions = (short: boolean): OptionGroup => ({
  title: "External Authentication",
  options: [
    textOption(
      short ? "-a --auth --eauth --external-auth" : "--auth --eauth --external-auth",
      "eauth",
      "Log in with this backend, such as file, pam or ldap.",
      "",
    ),
    flagOption("-T --make-token", "mktoken", "Save the login in a file: later commands need no password."),
    textOption("--username", "username", "Name for the login."),
    textOption("--password", "password", "Password for the login. Without it, the program asks."),
  ],
});

const TARGET_FLAGS: readonly [names: string, dest: string, help: string][] = [
  ["-H --hosts", "hosts", "The target is a host list (salt-ssh only)."],
  ["-E --pcre", "pcre", "The target is a regular expression for ids: web[0-9]+."],
  ["-L --list", "list", "The target is a list of ids: web1,web2."],
  ["-G --grain", "grain", "The target is a grain and a glob: os:Arch*."],
  ["-P --grain-pcre", "grain_pcre", "The target is a grain and a regular expression: os:(Arch|Debian)."],
  ["-N --nodegroup", "nodegroup", "The target is the name of a node group in the master's configuration."],
  ["-R --range", "range", "The target is a range expression. Brine matches none."],
];
const EXTENDED_TARGET_FLAGS: readonly [names: string, dest: string, help: string][] = [
  ["-C --compound", "compound", "The target joins others: G@os:Debian and not web2."],
  ["-I --pillar", "pillar", "The target is a pillar key and a glob: role:web*."],
  ["-J --pillar-pcre", "pillar_pcre", "The target is a pillar key and a regular expression: role:web.*."],
  ["-S --ipcidr", "ipcidr", "The target is an address or a network: 10.0.0.0/8."],
];
const DELIMITER = textOption(
  "--delimiter",
  "delimiter",
  "Separator in targets by grains and pillar. Default: a colon.",
  ":",
);

export const targets = (extended: boolean): OptionGroup => ({
  title: "Target Options",
  options: [
    ...[...TARGET_FLAGS, ...(extended ? EXTENDED_TARGET_FLAGS : [])].map((row) => flagOption(...row)),
    DELIMITER,
  ],
});

export const execution = (): Option[] => [
  textOption("--module-executors", "module_executors", "Modules that run the function, such as sudo: a,b,..."),
  textOption("--executor-opts", "executor_opts", "Options for these modules: {...}"),
];
export const profiling = (): Option[] => [
  textOption("--profiling-path", "profiling_path", "Directory for profiles.", "/tmp/stats"),
  flagOption("--enable-profiling", "profiling_enabled", "Write a profile of the run."),
];
export const diffOption = flagOption("--output-diff", "state_output_diff", "Print changed and failed states only.");
export const doc = flagOption("-d --doc --documentation", "doc", "Print the documentation of a function.");

export const main = (...options: Option[]): OptionGroup => ({ title: "Options", options });

export function exclusiveTargets({ options }: RunRequest, stop: (stop: Stop) => never): void {
  const chosen = [...TARGET_FLAGS, ...EXTENDED_TARGET_FLAGS].filter(([, dest]) => options[dest] === true);
  if (chosen.length < 2) return;
  const names = chosen.map(([spellings]) => spellings.slice(spellings.indexOf("--"))).join("/");
  stop({ error: `The options ${names} are mutually exclusive. Please only choose one of them` });
}

/** Treats a timeout of 0 as not given, so that the configured one is used. */
export function timeoutOfNone({ options, explicit }: RunRequest): void {
  if (Number(options.timeout) <= 0) explicit.delete("timeout");
}

/** Advises about arguments of a program that takes none: as in Salt, they are ignored. */
export function ignoredWords({ positionals, advice }: RunRequest): void {
  if (positionals.length > 0) {
    advice.push(`This program takes no arguments; ignored: ${positionals.map(quote).join(" ")}`);
  }
}
