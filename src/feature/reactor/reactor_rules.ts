import { messageOf } from "../../base/errors.ts";
import { fnmatch } from "../../model/event/tag.ts";
import type { Logger } from "../../base/log.ts";
import { entriesOf, isMap, repr, str } from "../../language/python/values.ts";
import { isRecord } from "../../base/record.ts";
import type { FileSystem } from "../../runtime/fs.ts";

/** One line of the option `reactor`: a glob of tags, and the SLS files of its reactions. */
interface Rule {
  match: string;
  matches(tag: string): boolean;
  sls: readonly string[];
}

/** The answer of `reactor.add` and `reactor.delete`, in Salt's words. */
interface RuleChange {
  status: boolean;
  comment: string;
}

interface ReactorRulesOptions {
  fs: FileSystem;
  log: Logger;
  /** Reads a separate file with a map of reactors. */
  parse(text: string, path: string): unknown;
  /** The option `reactor`: a list of maps with one glob each, or the path of a file with such a list. */
  reactor: unknown;
}

/** The SLS files that react to events, by tag. Added rules last until the reactor ends, as in Salt. */
export class ReactorRules {
  readonly #options: ReactorRulesOptions;
  readonly #path: string | undefined;
  #entries: unknown[] = [];
  #rules: Rule[] = [];
  /** The size and time of the file with the rules, to notice changes. */
  #version = "";

  constructor(options: ReactorRulesOptions) {
    this.#options = options;
    const { reactor } = options;
    if (typeof reactor === "string") this.#path = reactor;
    else this.#set(Array.isArray(reactor) ? reactor : []);
  }

  /** True if nothing reacts. */
  get isEmpty(): boolean {
    return this.#path === undefined && this.#rules.length === 0;
  }

  list(): unknown[] {
    this.#refresh();
    return this.#entries;
  }

  /** The SLS files for a tag, in the order of the configuration. */
  for(tag: string): string[] {
    this.#refresh();
    const found: string[] = [];
    for (const { matches, sls } of this.#rules) if (matches(tag)) found.push(...sls);
    return found;
  }

  add(match: string, reactors: unknown): RuleChange {
    if (this.#path !== undefined) {
      return { status: false, comment: `The reactors are in the file ${this.#path}: edit that file` };
    }
    if (this.#rules.some((rule) => rule.match === match)) return { status: false, comment: "Reactor already exists." };
    this.#set([...this.#entries, { [match]: reactors }]);
    return { status: true, comment: "Reactor added." };
  }

  delete(match: string): RuleChange {
    if (this.#path !== undefined) {
      return { status: false, comment: `The reactors are in the file ${this.#path}: edit that file` };
    }
    const at = this.#entries.findIndex((entry) => ruleOf(entry)?.match === match);
    if (at < 0) return { status: false, comment: "Reactor does not exists." };
    this.#set(this.#entries.toSpliced(at, 1));
    return { status: true, comment: "Reactor deleted." };
  }

  #set(entries: readonly unknown[]): void {
    this.#entries = [...entries];
    this.#rules = [];
    for (const entry of entries) {
      const rule = ruleOf(entry);
      if (rule === undefined) {
        this.#options.log.error("entry of reactor is ignored: expected a map of one glob and its list of SLS files", {
          entry: repr(entry),
        });
      } else this.#rules.push(rule);
    }
  }

  /** Reads the file of the rules again if it has changed. */
  #refresh(): void {
    const path = this.#path;
    if (path === undefined) return;
    const { fs, log, parse } = this.#options;
    const found = fs.stat(path);
    const version = found === undefined ? "none" : `${found.size} ${found.mtimeMs}`;
    if (version === this.#version) return;
    this.#version = version;
    try {
      const entries = parse(fs.readText(path), path);
      if (!Array.isArray(entries)) throw new TypeError(`expected a list of maps, got ${repr(entries)}`);
      this.#set(entries);
    } catch (error) {
      log.error("map of reactors not read: the previous one stays in use", { path, error: messageOf(error) });
    }
  }
}

/** Reads an entry as a rule; undefined if it is malformed. */
function ruleOf(entry: unknown): Rule | undefined {
  if (!isMap(entry) && !isRecord(entry)) return undefined;
  const [[key, value] = [], ...more] = entriesOf(entry);
  if (key === undefined || more.length > 0) return undefined;
  const match = str(key);
  const sls = typeof value === "string" ? [value] : Array.isArray(value) ? value.filter(isText) : [];
  return { match, matches: fnmatch(match), sls };
}

const isText = (value: unknown): value is string => typeof value === "string";
