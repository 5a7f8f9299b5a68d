/**
 * The command line of every program: one table of options with Salt's spellings, and a parser with the grammar of
 * Python's optparse, from which scripts know it. This is the one seam for option parsing; it touches no runtime.
 */

/** The programs that have options. */
export type Program =
  | "salt"
  | "salt-key"
  | "salt-run"
  | "salt-call"
  | "salt-cp"
  | "salt-master"
  | "salt-minion"
  | "salt-api";

/** What an option may be set to. */
export type OptionValue = string | number | boolean | string[] | null;

/** Values by destination: the name of the configuration key that the option overrides. */
export type OptionValues = Record<string, OptionValue>;

/** What a program needs besides its words. */
export interface OptionsContext {
  /** What `--version` prints after the program's name: `3007.0 (Chlorine)`. */
  version: string;
  /** Environment variables; some are defaults of options. @default {} */
  env?: Readonly<Record<string, string | undefined>>;
  /** The text of stdin once it was read, for `--args-stdin`. */
  stdin?: string;
  /** What a Saltfile says, in place of defaults; or why it cannot be used. */
  saltfile?: { values: Readonly<Record<string, unknown>> } | { error: string };
}

/** Run the program with these options and positional words. */
export interface RunRequest {
  kind: "run";
  options: OptionValues;
  positionals: string[];
  /** Destinations of options that were given, as against their defaults: these win over the configuration. */
  explicit: Set<string>;
  /** True if `--args-stdin` was given and stdin was not: read it, then parse again with `stdin` set. */
  needsStdin: boolean;
}

/** Print these texts and exit: help, version, a usage error. */
export interface ExitRequest {
  kind: "exit";
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Exit code of usage errors. */
const EX_USAGE = 64;

type Kind = "flag" | "unset" | "optional" | "text" | "int" | "float" | "choice" | "append" | "help" | "version";

interface Option {
  /** Spellings: short ones first. */
  names: string[];
  dest: string;
  kind: Kind;
  help: string;
  /** What stands for the value in the help text. */
  metavar: string;
  value: OptionValue;
  choices?: readonly string[];
}

interface Group {
  title: string;
  options: Option[];
}

interface ProgramTable {
  usage: string;
  description: string;
  groups: Group[];
  /** Rules that go beyond a single option; may convert values, and ends the program by a {@linkcode Stop}. */
  check: (run: RunRequest, stop: (stop: Stop) => never) => void;
}

/** Why a program ends before it began. */
interface Stop {
  error?: string;
  /** Print the help text to stdout first. */
  help?: boolean;
  /** Instead of a usage error: this text on stderr and exit code 42. */
  incomplete?: string;
}

const LOG_LEVELS = [
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

function option(kind: Kind, names: string, dest: string, help: string, value: OptionValue = null): Option {
  const spellings = names.split(" ");
  const long = spellings.find((name) => name.startsWith("--")) ?? names;
  return { names: spellings, dest, kind, help, metavar: long.slice(2).replaceAll("-", "_").toUpperCase(), value };
}
const flag = (names: string, dest: string, help: string, value: OptionValue = false) =>
  option("flag", names, dest, help, value);
const text = (names: string, dest: string, help: string, value: OptionValue = null) =>
  option("text", names, dest, help, value);
/** A flag that may be given a value, after an equals sign alone: the next word is never its own. */
const optional = (names: string, dest: string, metavar: string, help: string): Option => ({
  ...option("optional", names, dest, help),
  metavar,
});
const int = (names: string, dest: string, help: string, value: OptionValue = null) =>
  option("int", names, dest, help, value);

const level = (names: string, dest: string, help: string): Option => ({
  ...option("choice", names, dest, `${help}. One of ${LOG_LEVELS.join(", ")}.`, "warning"),
  choices: LOG_LEVELS,
});

const general = (env: Env, { saltfile = true, crash = false } = {}): Option[] => [
  option("version", "--version", "version", "Show the version and exit."),
  flag(
    "-V --versions-report",
    "versions_report",
    "Show the versions of this program and of what it runs on, and exit.",
  ),
  option("help", "-h --help", "help", "Show this text and exit."),
  ...(saltfile ? [text("--saltfile", "saltfile", "A Saltfile to take defaults of options from.")] : []),
  text("-c --config-dir", "config_dir", "Directory of the configuration files.", env.SALT_CONFIG_DIR || "/etc/salt"),
  ...(crash
    ? [flag("--hard-crash", "hard_crash", "Exit with 1 on signals and unhandled errors.", Boolean(env.SALT_HARD_CRASH))]
    : []),
];

const words = (env: Env): Option[] => [
  flag("--args-stdin", "args_stdin", "Read further options and arguments from stdin, one per line."),
  text("--no-parse", "no_parse", "Names of keyword arguments whose value stays text: a,b,...", env.SALT_NO_PARSE ?? ""),
];

const timeout = (seconds: number, dest = "timeout") =>
  int("-t --timeout", dest, `Seconds to wait for answers. Default: ${seconds}.`, seconds);

const logging = (short: boolean, file = "log_file"): Group => ({
  title: "Logging Options",
  options: [
    level(short ? "-l --log-level" : "--log-level", "log_level", "Level of messages on the console"),
    text("--log-file", file, "File for messages."),
    level("--log-file-level", "log_level_logfile", "Level of messages in the file"),
  ],
});

const output = (): Group => ({
  title: "Output Options",
  options: [
    text("--out --output", "output", "The outputter to print results with."),
    int("--out-indent --output-indent", "output_indent", "Indentation, for outputters that take one."),
    text("--out-file --output-file", "output_file", "File to write results to."),
    flag("--out-file-append --output-file-append", "output_file_append", "Append to that file."),
    flag("--no-color --no-colour", "no_color", "Never use colours."),
    flag("--force-color --force-colour", "force_color", "Always use colours."),
    text(
      "--state-output --state_output",
      "state_output",
      "How much of a state to print: full, terse, mixed, changes or filter.",
    ),
    text("--state-verbose --state_verbose", "state_verbose", "Whether to print states without changes: True or False."),
  ],
});

const eauth = (short: boolean): Group => ({
  title: "External Authentication",
  options: [
    text(
      short ? "-a --auth --eauth --external-auth" : "--auth --eauth --external-auth",
      "eauth",
      "Name of the authentication backend.",
      "",
    ),
    flag("-T --make-token", "mktoken", "Make a token and store it."),
    text("--username", "username", "User name for the backend."),
    text("--password", "password", "Password for the backend."),
  ],
});

const TARGET_FLAGS: readonly [names: string, dest: string, help: string][] = [
  ["-H --hosts", "hosts", "The target is a list of hosts of agentless mode."],
  ["-E --pcre", "pcre", "The target is a regular expression."],
  ["-L --list", "list", "The target is a list of minion ids."],
  ["-G --grain", "grain", "The target is a grain and a glob: os:Arch*."],
  ["-P --grain-pcre", "grain_pcre", "The target is a grain and a regular expression."],
  ["-N --nodegroup", "nodegroup", "The target is the name of a node group."],
  ["-R --range", "range", "The target is a range expression."],
];
const EXTENDED_TARGET_FLAGS: readonly [names: string, dest: string, help: string][] = [
  ["-C --compound", "compound", "The target is a compound expression."],
  ["-I --pillar", "pillar", "The target is a pillar key and a glob."],
  ["-J --pillar-pcre", "pillar_pcre", "The target is a pillar key and a regular expression."],
  ["-S --ipcidr", "ipcidr", "The target is an address or a network."],
];
const DELIMITER = text("--delimiter", "delimiter", "Separator inside targets on grains and pillar.", ":");

const targets = (extended: boolean): Group => ({
  title: "Target Options",
  options: [
    ...[...TARGET_FLAGS, ...(extended ? EXTENDED_TARGET_FLAGS : [])].map((row) => flag(...row)),
    DELIMITER,
  ],
});

const execution = (): Option[] => [
  text("--module-executors", "module_executors", "Executors to run the function with."),
  text("--executor-opts", "executor_opts", "Options for those."),
];
const profiling = (): Option[] => [
  text("--profiling-path", "profiling_path", "Folder for profiles.", "/tmp/stats"),
  flag("--enable-profiling", "profiling_enabled", "Write a profile of the run."),
];
const diff = flag("--output-diff", "state_output_diff", "Print changed and failed states only.");
const doc = flag("-d --doc --documentation", "doc", "Print the documentation of a function.");

type Env = Readonly<Record<string, string | undefined>>;

const main = (...options: Option[]): Group => ({ title: "Options", options });

function daemon(usageDescription: string, user: boolean, name: string): (env: Env) => ProgramTable {
  return (env) => ({
    usage: "[options]",
    description: usageDescription,
    groups: [
      main(
        ...general(env, { saltfile: user }),
        ...(user ? [text("-u --user", "user", "User to run as.")] : []),
        flag("-d --daemon", "daemon", "Run in the background."),
        text("--pid-file", "pidfile", "File for the process id.", `/var/run/${name}.pid`),
      ),
      logging(true),
    ],
    check: () => {},
  });
}

const PROGRAMS: Record<Program, (env: Env) => ProgramTable> = {
  salt: (env) => ({
    usage: "[options] '<target>' <function> [arguments]",
    description: "Runs a function on minions and prints what they return.",
    groups: [
      main(
        ...general(env, { crash: true }),
        timeout(5),
        ...words(env),
        flag("-s --static", "static", "Print all results at once, in the end."),
        flag("-p --progress", "progress", "Show a progress bar."),
        flag("--failhard", "failhard", "In batch mode: stop at the first failure."),
        flag("--async", "async", "Publish the job and do not wait."),
        optional(
          "--queue",
          "queue",
          "TTL",
          "Keep the job for minions that are away, for a day or as long as said: 90, 90s, 15m, 12h, 7d.",
        ),
        flag("--stream", "stream", "Show what commands print while they run."),
        text("--job-timeout", "job_timeout", "End the job on a minion after so long: 90, 90s, 15m, 12h."),
        int("--subset", "subset", "Run on that many of the targeted minions, taken at random.", 0),
        flag("-v --verbose", "verbose", "Print the job id, and more in the summary."),
        option("unset", "--hide-timeout", "show_timeout", "Do not report minions that did not answer.", true),
        flag("--show-jid", "show_jid", "Print the job id."),
        text(
          "-b --batch --batch-size",
          "batch",
          "Run on so many minions at a time: a number, or a share such as 25%.",
          "",
        ),
        option("float", "--batch-wait", "batch_wait", "Seconds to wait after a return before its slot is free.", 0),
        int("--batch-safe-limit", "batch_safe_limit", "Use batch mode from so many minions on.", 0),
        int("--batch-safe-size", "batch_safe_size", "How many at a time then.", 8),
        text("--return", "return", "Returners to send results to as well.", ""),
        text("--return_config", "ret_config", "Alternative configuration of the returner.", ""),
        text("--return_kwargs", "ret_kwargs", "Arguments for the returner: {...}", "{}"),
        doc,
        text("--args-separator", "args_separator", "What separates the arguments of several functions.", ","),
        flag("--summary", "cli_summary", "Print a summary."),
        text("--metadata", "metadata", "Metadata for the job: {...}", ""),
        diff,
        flag("--config-dump", "config_dump", "Print the configuration of the master."),
        flag("--preview-target", "preview_target", "Print which minions the target matches, and run nothing."),
        ...execution(),
      ),
      logging(true),
      targets(true),
      output(),
      eauth(true),
    ],
    check: (run, stop) => {
      exclusiveTargets(run, stop);
      timeoutOfNone(run);
      const { options, positionals } = run;
      if (options.doc === true) {
        if (positionals.length === 0) positionals.push("*");
        if (positionals[1] !== "sys.doc") positionals.splice(1, 0, "sys.doc");
        if (positionals.length > 3) stop({ error: "You can only get documentation for one method at one time." });
      }
      const wanted = options.preview_target === true ? 1 : 2;
      if (positionals.length >= wanted || options.config_dump === true) return;
      const incomplete = positionals.length === 0
        ? "\nCannot execute command without defining a target.\n\n"
        : "\nIncomplete options passed.\n\n";
      stop({ help: true, incomplete });
    },
  }),
  "salt-key": (env) => ({
    usage: "[options]",
    description: "Manages the keys of minions.",
    groups: [
      main(
        ...general(env, { crash: true }),
        text("-u --user", "user", "User to run as."),
        flag("-q --quiet", "quiet", "Do not print failures."),
        flag("-y --yes", "yes", "Do not ask."),
        text(
          "--rotate-aes-key",
          "rotate_aes_key",
          "Whether to make a new session key when a key is deleted or rejected: True or False.",
          true,
        ),
        text(
          "--preserve-minions",
          "preserve_minions",
          "Whether to keep cached data of deleted minions: True or False.",
          false,
        ),
      ),
      logging(false, "key_logfile"),
      output(),
      {
        title: "Actions",
        options: [
          text("-l --list", "list", "List keys of one status: acc, pre, un, rej, den or all.", ""),
          flag("-L --list-all", "list_all", "List all keys."),
          text("-a --accept", "accept", "Accept pending keys.", ""),
          flag("-A --accept-all", "accept_all", "Accept all pending keys."),
          text("-r --reject", "reject", "Reject pending keys.", ""),
          flag("-R --reject-all", "reject_all", "Reject all pending keys."),
          flag("--include-all", "include_all", "Act on accepted or rejected keys, too."),
          flag("--include-accepted", "include_accepted", "Reject accepted keys, too."),
          flag("--include-rejected", "include_rejected", "Accept rejected keys, too."),
          flag("--include-denied", "include_denied", "Act on denied keys, too."),
          text("-p --print", "print", "Print public keys.", ""),
          flag("-P --print-all", "print_all", "Print all public keys."),
          text("-d --delete", "delete", "Delete keys.", ""),
          flag("-D --delete-all", "delete_all", "Delete all keys."),
          text("-f --finger", "finger", "Print fingerprints.", ""),
          flag("-F --finger-all", "finger_all", "Print all fingerprints."),
        ],
      },
      {
        title: "Key Generation Options",
        options: [
          text("--gen-keys", "gen_keys", "Make a pair of keys of that name.", ""),
          text("--gen-keys-dir", "gen_keys_dir", "Where to.", "."),
          int("--keysize", "keysize", "Bits of the key. Default: 2048.", 2048),
          flag("--gen-signature", "gen_signature", "Sign the public key of the master."),
          text("--priv", "priv", "Private key to sign with.", ""),
          text("--pub", "pub", "Public key to sign.", ""),
          text("--signature-path", "signature_path", "Where to.", ""),
          flag("--auto-create", "auto_create", "Make the signing pair if there is none."),
        ],
      },
      eauth(false),
    ],
    check: ({ options }, stop) => {
      for (const dest of ["rotate_aes_key", "preserve_minions"]) options[dest] = boolean(options[dest] ?? null, true);
      const list = String(options.list);
      if (list !== "" && !/^(?:acc|pre|un|rej|den|all)/.test(list)) {
        stop({ error: `${quote(list)} is not a valid argument to '--list'` });
      }
      if (Number(options.keysize) < 2048) stop({ error: "The minimum value for keysize is 2048" });
      if (Number(options.keysize) > 32768) stop({ error: "The maximum value for keysize is 32768" });
    },
  }),
  "salt-run": (env) => ({
    usage: "[options] <function> [arguments]",
    description: "Runs a runner function on the master.",
    groups: [
      main(
        ...general(env, { crash: true }),
        timeout(1),
        ...words(env),
        doc,
        flag("--async", "async", "Start the runner and do not wait."),
        flag("--skip-grains", "skip_grains", "Do not load grains."),
        text("--jid", "jid", "The job id to use."),
        flag("--quiet", "quiet", "Print nothing."),
        ...profiling(),
      ),
      logging(true),
      output(),
      eauth(true),
    ],
    check: ({ options, positionals }, stop) => {
      const { jid } = options;
      if (typeof jid === "string" && !/^\d{20}(?:_\d{6})?$/.test(jid)) {
        stop({ error: `${quote(jid)} is not a valid JID` });
      }
      if (options.doc === true && positionals.length > 1) {
        stop({ error: "You can only get documentation for one method at one time" });
      }
    },
  }),
  "salt-call": (env) => ({
    usage: "[options] <function> [arguments]",
    description: "Runs a function on this very machine.",
    groups: [
      main(
        ...general(env, { crash: true }),
        timeout(60, "auth_timeout"),
        ...words(env),
        flag("-g --grains", "grains_run", "Print all grains."),
        option("append", "-m --module-dirs", "module_dirs", "A further folder of modules; may be repeated.", []),
        doc,
        text("--master", "master", "The master to use."),
        text("--return", "return", "Returners to send the result to.", ""),
        flag("--local", "local", "Use no master."),
        text("--file-root", "file_root", "Use this folder as base file root."),
        text("--pillar-root", "pillar_root", "Use this folder as base pillar root."),
        text("--states-dir", "states_dir", "A further folder of state modules."),
        flag("--retcode-passthrough", "retcode_passthrough", "Exit with the return code of the function."),
        flag("--metadata", "print_metadata", "Print the whole return."),
        text("--set-metadata", "metadata", "Metadata for the return: {...}"),
        text("--id", "id", "Act as this minion.", ""),
        flag("--skip-grains", "skip_grains", "Do not load grains."),
        flag("--refresh-grains-cache", "refresh_grains_cache", "Load grains anew."),
        flag("--no-return-event", "no_return_event", "Do not send the return to the master."),
        text("--proxyid", "proxyid", "Act as this proxy minion."),
        text("--cachedir", "cachedir", "Folder for cached data."),
        diff,
        ...execution(),
        ...profiling(),
      ),
      logging(true),
      output(),
    ],
    check: ({ options, positionals }, stop) => {
      if (positionals.length === 0 && options.grains_run !== true && options.doc !== true) {
        stop({ help: true, error: "Requires function, --grains or --doc" });
      }
      if (options.doc === true && positionals.length > 1) {
        stop({ error: "You can only get documentation for one method at one time" });
      }
      if (options.grains_run === true && positionals.length > 0) {
        stop({ error: "-g/--grains does not accept any arguments" });
      }
      options.module_dirs = (options.module_dirs as string[]).flatMap((dirs) => dirs.split(","));
    },
  }),
  "salt-cp": (env) => ({
    usage: "[options] '<target>' SOURCE DEST",
    description: "Copies files to minions.",
    groups: [
      main(
        ...general(env, { crash: true }),
        timeout(5),
        flag("-C --chunked", "chunked", "Copy in chunks: for large or binary files, and folders."),
        flag("-n --no-compression", "no_compression", "Do not compress chunks."),
      ),
      logging(true),
      targets(false),
      output(),
    ],
    check: (run, stop) => {
      exclusiveTargets(run, stop);
      timeoutOfNone(run);
      if (run.positionals.length < 3) stop({ help: true, error: "Insufficient arguments" });
    },
  }),
  "salt-master": daemon("Runs a master.", true, "salt-master"),
  "salt-minion": daemon("Runs a minion.", true, "salt-minion"),
  "salt-api": daemon("Runs the HTTP gateway of a master.", false, "salt-api"),
};

function exclusiveTargets({ options }: RunRequest, stop: (stop: Stop) => never): void {
  const chosen = [...TARGET_FLAGS, ...EXTENDED_TARGET_FLAGS].filter(([, dest]) => options[dest] === true);
  if (chosen.length < 2) return;
  const names = chosen.map(([spellings]) => spellings.slice(spellings.indexOf("--"))).join("/");
  stop({ error: `The options ${names} are mutually exclusive. Please only choose one of them` });
}

/** No time at all is none that was asked for: the configured one counts. */
function timeoutOfNone({ options, explicit }: RunRequest): void {
  if (Number(options.timeout) <= 0) explicit.delete("timeout");
}

/** The words for true and false become that, in any case if so wished; other text stays. */
function boolean(value: OptionValue, anyCase: boolean): OptionValue {
  if (typeof value !== "string") return value;
  const word = anyCase ? value.toLowerCase() : value;
  if (word === "true" || word === "True") return true;
  return word === "false" || word === "False" ? false : value;
}

/** A text as Python would quote it in a message. */
function quote(value: string): string {
  const mark = value.includes("'") && !value.includes('"') ? '"' : "'";
  const body = value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");
  return mark + (mark === "'" ? body.replaceAll("'", "\\'") : body) + mark;
}

/** An integer as optparse reads it: a leading zero means octal; undefined if it is none. */
function parseInteger(value: string): number | undefined {
  const match = /^\s*([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0([0-7]*)|([1-9]\d*))\s*$/.exec(value);
  if (match === null) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  // With a sign in front optparse does not see the prefix: "+0x10" is an error and "-010" is minus ten.
  if (sign !== "" && (hex ?? binary) !== undefined) return undefined;
  const magnitude = hex !== undefined
    ? parseInt(hex, 16)
    : binary !== undefined
    ? parseInt(binary, 2)
    : octal !== undefined
    ? parseInt(octal || "0", sign === "" ? 8 : 10)
    : Number(decimal);
  return sign === "-" ? -magnitude : magnitude;
}

function parseFloatingPoint(value: string): number | undefined {
  const trimmed = value.trim().toLowerCase();
  const special = /^([-+]?)(?:(inf|infinity)|nan)$/.exec(trimmed);
  if (special !== null) return special[2] === undefined ? NaN : special[1] === "-" ? -Infinity : Infinity;
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** Ends parsing: help, version, or an error. */
class StopParsing extends Error {
  readonly request: ExitRequest;

  constructor(request: ExitRequest) {
    super("parsing ends");
    this.request = request;
  }
}

/**
 * Parses the words of a command line. Options and positional words may be mixed; long options may be shortened, short
 * ones bundled; the last of a repeated option counts.
 *
 * @param argv the words after the program's name
 */
export function parseOptions(
  program: Program,
  argv: readonly string[],
  context: OptionsContext,
): RunRequest | ExitRequest {
  const table = PROGRAMS[program](context.env ?? {});
  const parser = new OptionParser(program, table, context.version);
  try {
    let run = parser.parse(argv);
    if (run.options.args_stdin === true) {
      if (context.stdin === undefined) return { ...run, needsStdin: true };
      const more = parser.parse(context.stdin.split("\n").map((line) => line.replace(/\r+$/, "")).filter(notLast));
      // As in Salt, only positional words survive from the command line: the second parse sets every option.
      run = { ...more, positionals: [...run.positionals, ...more.positionals] };
    }
    if (context.saltfile !== undefined) parser.takeDefaults(run, context.saltfile);
    for (const dest of ["state_verbose"]) {
      if (dest in run.options) run.options[dest] = boolean(run.options[dest] ?? null, false);
    }
    if (typeof run.options.no_parse === "string") {
      run.options.no_parse = run.options.no_parse.split(",").map((name) => name.trim()).filter((name) => name !== "");
    }
    if (run.options.versions_report !== true) table.check(run, (stop) => parser.stop(stop));
    return run;
  } catch (stop) {
    if (stop instanceof StopParsing) return stop.request;
    throw stop;
  }
}

/** False for the empty piece behind the final line feed. */
function notLast(line: string, index: number, lines: string[]): boolean {
  return line !== "" || index < lines.length - 1;
}

/** The help text of a program, as `--help` prints it. */
export function helpText(program: Program, env: Env = {}): string {
  return formatHelp(program, PROGRAMS[program](env));
}

class OptionParser {
  readonly #program: Program;
  readonly #table: ProgramTable;
  readonly #version: string;
  readonly #options: Option[];
  readonly #byName = new Map<string, Option>();

  constructor(program: Program, table: ProgramTable, version: string) {
    this.#program = program;
    this.#table = table;
    this.#version = version;
    this.#options = table.groups.flatMap(({ options }) => options);
    for (const option of this.#options) for (const name of option.names) this.#byName.set(name, option);
  }

  parse(argv: readonly string[]): RunRequest {
    const options: OptionValues = {};
    for (const { dest, kind, value } of this.#options) {
      if (kind !== "help" && kind !== "version") options[dest] = Array.isArray(value) ? [...value] : value;
    }
    const run: RunRequest = { kind: "run", options, positionals: [], explicit: new Set(), needsStdin: false };
    const rest = [...argv].reverse();
    for (let word = rest.pop(); word !== undefined; word = rest.pop()) {
      if (word === "--") {
        run.positionals.push(...rest.reverse());
        break;
      }
      if (word.startsWith("--")) this.#long(word, rest, run);
      else if (word.startsWith("-") && word.length > 1) this.#short(word, rest, run);
      else run.positionals.push(word);
    }
    return run;
  }

  stop({ error, help = false, incomplete }: Stop): never {
    const stdout = help ? formatHelp(this.#program, this.#table) : "";
    if (incomplete !== undefined) throw new StopParsing({ kind: "exit", exitCode: 42, stdout, stderr: incomplete });
    const stderr = `${usageLine(this.#program, this.#table)}\n${this.#program}: error: ${error}\n`;
    throw new StopParsing({ kind: "exit", exitCode: EX_USAGE, stdout, stderr });
  }

  /** Options that were not given have the values of a Saltfile, as if they had been. */
  takeDefaults({ options, explicit }: RunRequest, saltfile: NonNullable<OptionsContext["saltfile"]>): void {
    if ("error" in saltfile) return this.#error(saltfile.error);
    for (const { dest, kind } of this.#options) {
      const value = saltfile.values[dest];
      if (explicit.has(dest) || !Object.hasOwn(saltfile.values, dest) || value === undefined) continue;
      const asText = kind === "text" || kind === "choice" || kind === "optional";
      options[dest] = asText && typeof value !== "boolean" ? String(value) : value as OptionValue;
      explicit.add(dest);
    }
  }

  #error(error: string): never {
    return this.stop({ error });
  }

  /** The option that a long spelling, or the beginning of one, stands for. */
  #find(given: string): [name: string, option: Option] {
    const exact = this.#byName.get(given);
    if (exact !== undefined) return [given, exact];
    const names = [...this.#byName.keys()].filter((name) => name.startsWith(given)).sort();
    const [name] = names;
    const option = name === undefined ? undefined : this.#byName.get(name);
    if (name === undefined || option === undefined) return this.#error(`no such option: ${given}`);
    // Two spellings of the very same option are ambiguous as well.
    if (names.length > 1) return this.#error(`ambiguous option: ${given} (${names.join(", ")}?)`);
    return [name, option];
  }

  #long(word: string, rest: string[], run: RunRequest): void {
    const equals = word.indexOf("=");
    const [name, option] = this.#find(equals === -1 ? word : word.slice(0, equals));
    if (equals !== -1) {
      if (option.kind === "optional") {
        run.explicit.add(option.dest);
        run.options[option.dest] = word.slice(equals + 1);
        return;
      }
      if (!takesValue(option)) this.#error(`${name} option does not take a value`);
      rest.push(word.slice(equals + 1));
    }
    this.#set(name, option, rest, run);
  }

  #short(word: string, rest: string[], run: RunRequest): void {
    const letters = Array.from(word.slice(1));
    for (const [index, letter] of letters.entries()) {
      const name = `-${letter}`;
      const option = this.#byName.get(name);
      if (option === undefined) return this.#error(`no such option: ${name}`);
      if (!takesValue(option)) {
        this.#set(name, option, rest, run);
        continue;
      }
      const attached = letters.slice(index + 1).join("");
      if (attached !== "") rest.push(attached);
      return this.#set(name, option, rest, run);
    }
  }

  #set(name: string, option: Option, rest: string[], { options, explicit }: RunRequest): void {
    const { kind, dest } = option;
    explicit.add(dest);
    if (kind === "flag" || kind === "unset" || kind === "optional") {
      options[dest] = kind !== "unset";
      return;
    }
    if (kind === "help" || kind === "version") {
      const stdout = kind === "help" ? formatHelp(this.#program, this.#table) : `${this.#program} ${this.#version}\n`;
      throw new StopParsing({ kind: "exit", exitCode: 0, stdout, stderr: "" });
    }
    const value = rest.pop();
    if (value === undefined) return this.#error(`${name} option requires 1 argument`);
    if (kind === "append") (options[dest] as string[]).push(value);
    else options[dest] = this.#convert(name, option, value);
  }

  #convert(name: string, { kind, choices }: Option, value: string): OptionValue {
    if (kind === "int") {
      return parseInteger(value) ?? this.#error(`option ${name}: invalid integer value: ${quote(value)}`);
    }
    if (kind === "float") {
      return parseFloatingPoint(value) ?? this.#error(`option ${name}: invalid floating-point value: ${quote(value)}`);
    }
    if (choices !== undefined && !choices.includes(value)) {
      const list = choices.map(quote).join(", ");
      return this.#error(`option ${name}: invalid choice: ${quote(value)} (choose from ${list})`);
    }
    return value;
  }
}

function takesValue({ kind }: Option): boolean {
  return kind !== "flag" && kind !== "unset" && kind !== "optional" && kind !== "help" && kind !== "version";
}

function usageLine(program: Program, { usage }: ProgramTable): string {
  return `Usage: ${program} ${usage}\n`;
}

/** Column where the explanations of options begin, and where lines end: optparse's, on a terminal of 80 columns. */
const HELP_COLUMN = 24;
const HELP_WIDTH = 78;

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1];
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function formatOption(option: Option, indent: number): string[] {
  const spelled = option.names.map((name) =>
    option.kind === "optional"
      ? `${name}[=${option.metavar}]`
      : !takesValue(option)
      ? name
      : name.startsWith("--")
      ? `${name}=${option.metavar}`
      : `${name} ${option.metavar}`
  );
  const head = " ".repeat(indent) + spelled.join(", ");
  const lines = wrap(option.help, HELP_WIDTH - HELP_COLUMN).map((line) => " ".repeat(HELP_COLUMN) + line);
  const first = lines[0];
  if (head.length + 2 > HELP_COLUMN || first === undefined) return [head, ...lines];
  return [head.padEnd(HELP_COLUMN) + first.trimStart(), ...lines.slice(1)];
}

function formatHelp(program: Program, table: ProgramTable): string {
  const lines = [...usageLine(program, table).split("\n"), ...wrap(table.description, HELP_WIDTH)];
  for (const [index, { title, options }] of table.groups.entries()) {
    const indent = index === 0 ? 0 : 2;
    lines.push("", `${" ".repeat(indent)}${title}:`, ...options.flatMap((option) => formatOption(option, indent + 2)));
  }
  return `${lines.join("\n")}\n`;
}
