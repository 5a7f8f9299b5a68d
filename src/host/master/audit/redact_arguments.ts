import { isRecord } from "../../../base/record.ts";
import { matchExpression } from "../../../model/target/expression.ts";
import { PatternCache } from "../../../model/target/patterns.ts";

/** How arguments are recorded: not at all, without what may be a secret, or as they are. */
export type AuditArguments = "none" | "redacted" | "full";

interface RedactionRules {
  args: AuditArguments;
  /** Globs of argument names whose values are left out, beside the names that are built in. */
  names: readonly string[];
  /** Globs of functions whose arguments are left out, beside the functions that are built in. */
  functions: readonly string[];
}

const HIDDEN = "***";
/** Matches the names of arguments that hold secrets, or may. */
const NAMES =
  /pass(?:w|phrase|code)|pwd|token|secret|credential|api_?key|access_?key|private|priv_?key|auth(?:$|_)|authorization|cookie|header|pillar|environ|^env$|contents?$|stdin|salt_?value|hash(?!_type)|pin$|otp/i;
/** Functions that take secrets by position, whole files, or environments. */
const FUNCTIONS = [
  "*pass*",
  "*passwd*",
  "*.set_hash*",
  "*shadow_hash*",
  "*.add_user",
  "*.user_create",
  "*.user_chpass",
  "*.userpass*",
  "environ.set*",
  "hashutil.*",
  "random.hash",
  "nacl.*",
  "vault.*",
  "gpg.*",
  "sdb.set*",
  "file.write",
  "file.append",
  "file.prepend",
  "file.manage_file",
  "cp.recv*",
  "*_roots.write",
  "config.update*",
  "salt.cmd_secret",
  "http.query",
];
/** The most characters of one text that are recorded; the next constants bound the items of a list and the characters of all arguments. */
const MAX_TEXT_CHARACTERS = 512;
const MAX_ITEMS = 32;
const MAX_CHARACTERS = 4096;
const MAX_DEPTH = 5;

const WORD =
  "(?:pass(?:word|wd|phrase|code)?|pwd|token|secret|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)";
/** Patterns of secrets inside a text, such as a command line, each with the part of the match that is kept before the mark. */
const INSIDE: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*/g, HIDDEN],
  [/(:\/\/)[^\s/@]{1,256}@/g, `$1${HIDDEN}@`],
  [/\b(bearer|basic)\s+[^\s"']+/gi, `$1 ${HIDDEN}`],
  [new RegExp(`(${WORD}[\\w-]{0,32}["']?\\s{0,8}[=:]\\s{0,8})("[^"]*"|'[^']*'|[^\\s"'&,;]+)`, "gi"), `$1${HIDDEN}`],
  [new RegExp(`(--?[\\w-]{0,32}${WORD}[\\w-]{0,32}\\s+)("[^"]*"|'[^']*'|\\S+)`, "gi"), `$1${HIDDEN}`],
];
/** Programs whose option `-p` is a password. */
const SHORT_PASSWORD = /\b(?:mysql\w*|mariadb\w*|sshpass|ldap(?:search|modify|add))\b/;

/** Prepares arguments for the audit log: without passwords, tokens and keys, and never more than a few thousand characters. */
export class ArgumentRedaction {
  readonly #rules: RedactionRules;
  readonly #patterns = new PatternCache();

  /** @param rules as the options `audit_args`, `audit_redact` and `audit_redact_functions` say */
  constructor(rules: RedactionRules) {
    this.#rules = rules;
  }

  /**
   * Returns the arguments of a call as they are recorded; undefined if none are.
   *
   * @param fun one function, or several with a list of arguments each
   */
  shown(fun: unknown, args: unknown): unknown {
    const { args: how } = this.#rules;
    if (how === "none" || args === undefined || args === null) return undefined;
    if (Array.isArray(args) && args.length === 0) return undefined;
    const budget = { left: MAX_CHARACTERS };
    if (how === "full") return this.#value(args, budget, 0, false);
    if (Array.isArray(fun) && Array.isArray(args)) {
      return args.slice(0, MAX_ITEMS).map((one, at) => this.#ofOne(String(fun[at] ?? ""), one, budget));
    }
    return this.#ofOne(String(fun), args, budget);
  }

  #ofOne(fun: string, args: unknown, budget: { left: number }): unknown {
    const listed = [...FUNCTIONS, ...this.#rules.functions].some((glob) => this.#patterns.glob(glob)(fun));
    if (!listed) return this.#value(args, budget, 0, true);
    return `${HIDDEN} (${Array.isArray(args) ? args.length : 1} arguments)`;
  }

  #isSecret(name: string): boolean {
    return NAMES.test(name) || this.#rules.names.some((rule) => matchExpression(name, rule));
  }

  #value(value: unknown, budget: { left: number }, depth: number, redact: boolean): unknown {
    if (budget.left <= 0 || depth > MAX_DEPTH) return "…";
    if (typeof value === "string") return this.#text(value, budget, redact);
    if (value instanceof Uint8Array) return `(${value.length} bytes)`;
    if (Array.isArray(value)) {
      const few = value.slice(0, MAX_ITEMS).map((item) => this.#value(item, budget, depth + 1, redact));
      return value.length > MAX_ITEMS ? [...few, `… and ${value.length - MAX_ITEMS} more`] : few;
    }
    if (isRecord(value) || value instanceof Map) return this.#map(value, budget, depth, redact);
    budget.left -= 8;
    return typeof value === "number" || typeof value === "boolean" || value === null
      ? value
      : String(value).slice(0, 64);
  }

  #map(
    value: Record<string, unknown> | Map<unknown, unknown>,
    budget: { left: number },
    depth: number,
    redact: boolean,
  ) {
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    const shown: Record<string, unknown> = Object.create(null);
    for (const [key, item] of entries.slice(0, MAX_ITEMS)) {
      const whole = String(key);
      if (whole === "__kwarg__") continue;
      const name = whole.slice(0, 64);
      budget.left -= name.length;
      // The end of a long name may say that the value is a secret.
      shown[name] = redact && (this.#isSecret(name) || this.#isSecret(whole.slice(-64)))
        ? HIDDEN
        : this.#value(item, budget, depth + 1, redact);
    }
    if (entries.length > MAX_ITEMS) shown["…"] = entries.length - MAX_ITEMS;
    return shown;
  }

  #text(text: string, budget: { left: number }, redact: boolean): string {
    // Secrets are looked for in a longer text than is shown: a secret that is cut in two is not recognised.
    let shown = text.slice(0, 4 * MAX_TEXT_CHARACTERS);
    if (redact) {
      const [, name] = /^([A-Za-z_][\w.-]{0,63})=/.exec(shown) ?? [];
      if (name !== undefined && this.#isSecret(name)) shown = `${name}=${HIDDEN}`;
      for (const [pattern, mark] of INSIDE) shown = shown.replace(pattern, mark);
      if (SHORT_PASSWORD.test(shown)) shown = shown.replace(/(\s-[pw]\s?)\S+/g, `$1${HIDDEN}`);
    }
    const room = Math.min(MAX_TEXT_CHARACTERS, budget.left);
    budget.left -= Math.min(shown.length, room);
    return shown.length > room || text.length > 4 * MAX_TEXT_CHARACTERS
      ? `${shown.slice(0, room)}… (${text.length} characters)`
      : shown;
  }
}
