import { SystemError } from "../../base/errors.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions } from "../../model/loader/family.ts";
import { decodeFile, encodeText } from "../../language/python/codecs.ts";
import { type Args, entriesOf, isMap, repr, str, truthy } from "../../language/python/values.ts";
import { exists } from "../linux/paths.ts";
import { osErrorText } from "../python_errors.ts";
import { overwrite, refusePipe } from "./file/content.ts";
import { IniSection, parseIni, renderIni, withoutComments } from "./ini/file.ts";

const encodingOf = ({ encoding }: Args) => truthy(encoding) ? str(encoding) : "utf-8";

/** @throws {CommandExecutionError} if the file cannot be read, but in a dry run */
function read(context: JobContext, args: Args): IniSection {
  const { fs } = context.runtime;
  const path = str(args.file_name);
  const options = { separator: str(args.separator), noSpaces: truthy(args.no_spaces) };
  if (!exists(fs, path)) return parseIni("", options);
  refusePipe(fs, path);
  try {
    return parseIni(decodeFile(fs.read(path), encodingOf(args)), options);
  } catch (error) {
    if (!(error instanceof SystemError)) throw error;
    if (truthy(context.opts.test)) return parseIni("", options);
    throw new CommandExecutionError(`Unable to open file '${path}'. Exception: ${osErrorText(error, path)}`, {
      cause: error,
    });
  }
}

function write(context: JobContext, args: Args, file: IniSection): void {
  const path = str(args.file_name);
  try {
    overwrite(context.runtime, path, encodeText(renderIni(file), encodingOf(args)));
  } catch (error) {
    throw new CommandExecutionError(`Unable to write file '${path}'. Exception: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** The section of that name, or the whole file for none; undefined if there is no such section. */
function sectionIn(file: IniSection, name: unknown): IniSection | undefined {
  if (!truthy(name)) return file;
  const section = file.entries.get(str(name));
  return section instanceof IniSection ? section : undefined;
}

const plain = (value: unknown) => value instanceof IniSection ? withoutComments(value) : value ?? null;

const FILE = "separator='=', encoding=None";

/** Options and sections of ini files. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    [`set_option(file_name, sections=None, ${FILE}, no_spaces=False)` as const]: {
      doc: "Sets options: a map of section to options, or of options that stand above the sections.\n\n" +
        "    salt '*' ini.set_option /path/to/ini '{section: {option: value}}'",
      run(context, args) {
        const { sections } = args;
        if (truthy(sections) && !isMap(sections)) {
          throw new TypeError(`sections must be a map, not ${repr(sections)}`);
        }
        const file = read(context, args);
        const wanted = isMap(sections) ? entriesOf(sections).map(([name, value]) => [str(name), value] as const) : [];
        const changes = file.update(wanted);
        write(context, args, file);
        return changes;
      },
    },
    [`get_option(file_name, section, option: str, ${FILE})` as const]: {
      doc: "The value of an option; None if there is none.\n\n    salt '*' ini.get_option /path/to/ini section option",
      run: (context, args) => plain(sectionIn(read(context, args), args.section)?.entries.get(args.option)),
    },
    [`remove_option(file_name, section, option: str, ${FILE})` as const]: {
      doc: "Removes an option, and returns its value.\n\n    salt '*' ini.remove_option /path/to/ini section option",
      run(context, args) {
        const file = read(context, args);
        // An option that is said to be in no section, or in one that is an option, stands above the sections.
        const place = sectionIn(file, args.section) ?? file;
        const value = place.entries.get(args.option);
        place.entries.delete(args.option);
        write(context, args, file);
        return plain(value);
      },
    },
    [`get_section(file_name, section, ${FILE})` as const]: {
      doc: "The options of a section.\n\n    salt '*' ini.get_section /path/to/ini section",
      run: (context, args) => plain(sectionIn(read(context, args), args.section)) ?? {},
    },
    [`remove_section(file_name, section: str, ${FILE})` as const]: {
      doc: "Removes a section, and returns its options; None if there is none.\n\n" +
        "    salt '*' ini.remove_section /path/to/ini section",
      run(context, args) {
        const file = read(context, args);
        const section = file.entries.get(args.section);
        if (!(section instanceof IniSection)) return null;
        file.entries.delete(args.section);
        write(context, args, file);
        return withoutComments(section);
      },
    },
    [`get_ini(file_name, ${FILE})` as const]: {
      doc: "The whole file as a map.\n\n    salt '*' ini.get_ini /path/to/ini",
      run: (context, args) => withoutComments(read(context, args)),
    },
  }),
};
