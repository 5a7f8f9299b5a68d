import { SystemError } from "../../base/errors.ts";
import type { StateContext, StateFunction, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunctions } from "../../model/loader/states.ts";
import { type AnyMap, type Args, entriesOf, isMap, str, truthy } from "../../language/python/values.ts";
import { encodingComplaint } from "./file/comment.ts";

type Values = Record<string, unknown>;

const NOTHING = "No anomaly detected";

const textEntries = (map: unknown): [string, unknown][] =>
  isMap(map) ? entriesOf(map).map(([key, value]) => [str(key), value]) : [];

const within = (section: string) => section === "" ? "" : ` in section ${section}`;

/** Calls a function of the file that the state is about. */
function onFile(context: StateContext, { name, separator, encoding }: Args, fun: string, more: Values = {}) {
  return context.call(`ini.${fun}`, [], { file_name: name, separator, encoding, ...more });
}

/** What is wanted and what is there, each apart into options above the sections and sections. */
interface Contents {
  options: [string, unknown][];
  sections: [string, [string, unknown][]][];
  hasOptions: Map<string, unknown>;
  hasSections: Map<string, AnyMap>;
}

async function contentsOf(context: StateContext, args: Args): Promise<Contents> {
  const wanted = textEntries(args.sections);
  const there = textEntries(await onFile(context, args, "get_ini"));
  return {
    options: wanted.filter(([, value]) => !isMap(value)),
    sections: wanted.filter(([, value]) => isMap(value)).map(([name, value]) => [name, textEntries(value)]),
    hasOptions: new Map(there.filter(([, value]) => !isMap(value))),
    hasSections: new Map(there.filter((entry): entry is [string, AnyMap] => isMap(entry[1]))),
  };
}

/** What `strict` removes. */
function surplus({ options, sections, hasOptions, hasSections }: Contents) {
  const wanted = new Map(sections);
  const names = new Set(options.map(([name]) => name));
  return {
    options: [...hasOptions.keys()].filter((name) => !names.has(name)),
    sections: [...hasSections.keys()].filter((name) => !wanted.has(name)),
    keys: (section: string) => {
      const kept = new Set((wanted.get(section) ?? []).map(([name]) => name));
      return textEntries(hasSections.get(section)).map(([name]) => name).filter((name) => !kept.has(name));
    },
  };
}

function predict(contents: Contents, strict: boolean): Pick<StateReturn, "result" | "comment"> {
  const { options, sections, hasOptions, hasSections } = contents;
  let comment = "";
  let result: true | null = true;
  const change = (line: string) => {
    comment += `${line}.\n`;
    result = null;
  };
  const compare = (name: string, value: unknown, before: unknown, where: string) => {
    if (before !== undefined && str(before) === str(value)) comment += `Unchanged key ${name}${where}.\n`;
    else change(`Changed key ${name}${where}`);
  };
  const extra = surplus(contents);
  for (const [name, value] of options) compare(name, value, hasOptions.get(name), "");
  if (strict) {
    for (const name of extra.options) change(`Removed key ${name}`);
    for (const name of extra.sections) change(`Removed section ${name}`);
  }
  for (const [section, body] of sections) {
    if (strict) { for (const name of extra.keys(section)) change(`Deleted key ${name}${within(section)}`); }
    const before = new Map(textEntries(hasSections.get(section)));
    for (const [name, value] of body) compare(name, value, before.get(name), within(section));
  }
  return { result, comment };
}

async function makePresent(context: StateContext, args: Args, contents: Contents): Promise<Values> {
  const { options, sections, hasOptions, hasSections } = contents;
  const { no_spaces, strict } = args;
  const extra = surplus(contents);
  const changes = new Map<string, unknown>(textEntries(
    await onFile(context, args, "set_option", { sections: Object.fromEntries(options), no_spaces }),
  ));
  if (truthy(strict)) {
    for (const option of extra.options) {
      await onFile(context, args, "remove_option", { section: null, option });
      changes.set(option, { before: hasOptions.get(option), after: null });
    }
    for (const section of extra.sections) {
      await onFile(context, args, "remove_section", { section });
      changes.set(section, { before: hasSections.get(section), after: null });
    }
  }
  for (const [section, body] of sections) {
    const inside: Values = {};
    if (truthy(strict)) {
      for (const option of extra.keys(section)) {
        await onFile(context, args, "remove_option", { section, option });
        inside[option] = { before: new Map(textEntries(hasSections.get(section))).get(option), after: null };
      }
    }
    const updated = await onFile(context, args, "set_option", {
      sections: { [section]: Object.fromEntries(body) },
      no_spaces,
    }) as Values;
    Object.assign(inside, updated[section]);
    if (Object.keys(inside).length > 0) changes.set(section, inside);
  }
  return Object.fromEntries(changes);
}

async function optionsPresent(context: StateContext, args: Args): Promise<StateReturn> {
  const { name, sections } = args;
  if (!truthy(sections)) {
    if (!context.test) await onFile(context, args, "set_option", { sections: {}, no_spaces: args.no_spaces });
    return outcome(name, true, context.test ? "" : NOTHING);
  }
  const contents = await contentsOf(context, args);
  if (context.test) return { ...outcome(name, true, ""), ...predict(contents, truthy(args.strict)) };
  const changes = Object.entries(await makePresent(context, args, contents)).filter(([, body]) => truthy(body));
  return outcome(name, true, changes.length > 0 ? "Changes take effect" : NOTHING, Object.fromEntries(changes));
}

async function predictOptionsAbsent(context: StateContext, args: Args): Promise<StateReturn> {
  let comment = "";
  let result: true | null = true;
  for (const [section, keys] of textEntries(args.sections)) {
    const names = Array.isArray(keys) ? keys.map(str) : [section];
    const where = Array.isArray(keys) ? within(section) : "";
    for (const option of names) {
      const value = await onFile(context, args, "get_option", {
        section: Array.isArray(keys) ? section : null,
        option,
      });
      if (!truthy(value)) comment += `Key ${option}${where} does not exist.\n`;
      else {
        comment += `Deleted key ${option}${where}.\n`;
        result = null;
      }
    }
  }
  return outcome(args.name, result, comment === "" ? "No changes detected." : comment);
}

async function optionsAbsent(context: StateContext, args: Args): Promise<StateReturn> {
  if (context.test) return await predictOptionsAbsent(context, args);
  const ret = outcome(args.name, true, NOTHING);
  for (const [section, keys] of textEntries(args.sections)) {
    const inList = Array.isArray(keys);
    for (const option of inList ? keys.map(str) : [section]) {
      const value = await onFile(context, args, "remove_option", { section: inList ? section : null, option });
      if (!truthy(value)) continue;
      ret.changes[section] = inList ? { ...ret.changes[section] as Values | undefined, [option]: value } : value;
      ret.comment = "Changes take effect";
    }
  }
  return ret;
}

const sectionNames = (sections: unknown): string[] =>
  Array.isArray(sections) ? sections.map(str) : textEntries(sections).map(([name]) => name);

/** What a dry run says of sections: `line` gives the words for one, and whether it would change. */
async function predictSections(
  context: StateContext,
  args: Args,
  line: (section: string, there: boolean) => [comment: string, changes: boolean],
): Promise<StateReturn> {
  const there = new Set(textEntries(await onFile(context, args, "get_ini")).map(([name]) => name));
  const lines = sectionNames(args.sections).map((section) => line(section, there.has(section)));
  const comment = lines.map(([text]) => `${text}.\n`).join("");
  const result = lines.some(([, changes]) => changes) ? null : true;
  return outcome(args.name, result, comment === "" ? "No changes detected." : comment);
}

async function sectionsPresent(context: StateContext, args: Args): Promise<StateReturn> {
  if (context.test) {
    return await predictSections(
      context,
      args,
      (section, there) => there ? [`Section unchanged ${section}`, false] : [`Created new section ${section}`, true],
    );
  }
  const sections = Object.fromEntries(sectionNames(args.sections).map((section) => [section, {}]));
  const changes = await onFile(context, args, "set_option", { sections }) as Values;
  return outcome(args.name, true, "Changes take effect", changes);
}

async function sectionsAbsent(context: StateContext, args: Args): Promise<StateReturn> {
  if (context.test) {
    return await predictSections(
      context,
      args,
      (section, there) => there ? [`Deleted section ${section}`, true] : [`Section ${section} does not exist`, false],
    );
  }
  const ret = outcome(args.name, true, NOTHING);
  for (const section of sectionNames(args.sections)) {
    const removed = await onFile(context, args, "remove_section", { section });
    if (!truthy(removed)) continue;
    ret.changes[section] = removed;
    ret.comment = "Changes take effect";
  }
  return ret;
}

/** A file that cannot be used makes the state fail with the system's words. */
const guarded = (run: StateFunction["run"]): StateFunction["run"] => async (context, args) => {
  const complaint = encodingComplaint(args.encoding);
  if (complaint !== undefined) return outcome(args.name, false, complaint);
  try {
    return await run(context, args);
  } catch (error) {
    if (error instanceof SystemError) return outcome(args.name, false, error.message);
    throw error;
  }
};

const FILE = "separator='='";

/** Options and sections of ini files. */
export const states: StateModule = {
  virtual: () => "ini",
  functions: stateFunctions({
    [`options_present(name, sections=None, ${FILE}, strict=False, encoding=None, no_spaces=False)` as const]: {
      doc: "The file has these options, by section or above them; with `strict` no others.",
      run: guarded(optionsPresent),
    },
    [`options_absent(name, sections=None, ${FILE}, encoding=None)` as const]: {
      doc:
        "The file does not have these options: a map of section to a list of names, or of options above the sections.",
      run: guarded(optionsAbsent),
    },
    [`sections_present(name, sections=None, ${FILE}, encoding=None)` as const]: {
      doc: "The file has these sections; new ones are empty.",
      run: guarded(sectionsPresent),
    },
    [`sections_absent(name, sections=None, ${FILE}, encoding=None)` as const]: {
      doc: "The file does not have these sections.",
      run: guarded(sectionsAbsent),
    },
  }),
};
