/** What goes into the parser of a command line and what comes out: the types of the seam. */

/** The programs that have options. */
export type Program =
  | "salt"
  | "salt-key"
  | "salt-run"
  | "salt-call"
  | "salt-cp"
  | "salt-master"
  | "salt-minion"
  | "salt-syndic"
  | "salt-api"
  | "salt-doctor"
  | "salt-ssh"
  | "brine";

/** What an option may be set to. */
export type OptionValue = string | number | boolean | string[] | null;

/** Values by destination: the name of the configuration key that the option overrides. */
export type OptionValues = Record<string, OptionValue>;

/** What the parser needs besides the words of the command line. */
export interface OptionsContext {
  /** What `--version` prints after the program's name: `3007.0 (Chlorine)`. */
  version: string;
  /** Environment variables; some are defaults of options. @default {} */
  env?: Readonly<Record<string, string | undefined>>;
  /** The text of stdin once it was read, for `--args-stdin`. */
  stdin?: string;
  /** Options of a Saltfile, which replace defaults; or why it cannot be used. */
  saltfile?: { values: Readonly<Record<string, unknown>> } | { error: string };
}

/** Run the program with these options and positional words. */
export interface RunRequest {
  kind: "run";
  options: OptionValues;
  positionals: string[];
  /** Destinations of options that were given, unlike defaults: they override the configuration. */
  explicit: Set<string>;
  /** What was typed and has no effect, a line each: for people, since scripts compare what is printed. */
  advice: string[];
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

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;
