/** The input and output of the parser of command lines. */

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

export type OptionValue = string | number | boolean | string[] | null;

/** Destination → value. The destination is the name of the configuration option that the value overrides. */
export type OptionValues = Record<string, OptionValue>;

/** What the parser needs in addition to the words of the command line. */
export interface OptionsContext {
  /** Text after the program's name for `--version`: `3007.0 (Chlorine)`. */
  version: string;
  /** Environment variables; some set defaults of options. @default {} */
  env?: Readonly<Record<string, string | undefined>>;
  /** The text of stdin, if it was read for `--args-stdin`. */
  stdin?: string;
  /** Options of a Saltfile, which replace defaults; or the reason why it cannot be used. */
  saltfile?: { values: Readonly<Record<string, unknown>> } | { error: string };
}

/** The result for a program to run: its options and positional words. */
export interface RunRequest {
  kind: "run";
  options: OptionValues;
  positionals: string[];
  /** Destinations of options that were given: these override the configuration, defaults do not. */
  explicit: Set<string>;
  /** Lines about words without effect: for people, because scripts compare stdout. */
  advice: string[];
  /** True if `--args-stdin` was given without the text of stdin: read it, then parse again with `stdin` set. */
  needsStdin: boolean;
}

/** The result for a program to exit: texts to print for help, version, or a usage error. */
export interface ExitRequest {
  kind: "exit";
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;
