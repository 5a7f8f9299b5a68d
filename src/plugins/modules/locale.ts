import { messageOf } from "../../base/errors.ts";
import type { ExecutionModule, JobContext } from "../../model/loader/family.ts";
import { CommandExecutionError, executionFunctions, SaltInvocationError } from "../../model/loader/family.ts";
import { str, truthy } from "../../language/python/values.ts";
import { escapeRegexp } from "../../language/python/substitute.ts";
import { programPath, run, runAll } from "../commands.ts";
import { exists, isFile } from "../linux/paths.ts";

const GENERATED = "/etc/locale.gen";

const booted = ({ runtime: { fs } }: JobContext) => exists(fs, "/run/systemd/system");

/** A locale in its parts: `de_DE.UTF-8@euro UTF-8`. */
interface Locale {
  language: string;
  territory: string;
  codeset: string;
  modifier: string;
  charmap: string;
}

/** @throws {SaltInvocationError} for what is none */
export function parseLocale(locale: unknown): Locale {
  const [, language, territory = "", codeset = "", modifier = "", charmap = ""] =
    /^([A-Za-z]+)(?:_([A-Za-z]+))?(?:\.([\w-]+))?(?:@([\w-]+))?(?: ([\w-]+))?$/.exec(str(locale)) ?? [];
  // It becomes a line of a file and a pattern.
  if (language === undefined) throw new SaltInvocationError(`"${str(locale)}" is not a locale, such as de_DE.UTF-8`);
  return { language, territory, codeset, modifier, charmap };
}

const join = ({ language, territory, codeset, modifier, charmap }: Locale) =>
  `${language}${territory && `_${territory}`}${codeset && `.${codeset}`}${modifier && `@${modifier}`}${
    charmap && ` ${charmap}`
  }`;

/** In the form that names of one locale have in common: without the character map, and `utf8` for `UTF-8`. */
function normal(locale: unknown): string {
  const parts = parseLocale(locale);
  return join({ ...parts, codeset: parts.codeset.toLowerCase().replaceAll("-", ""), charmap: "" });
}

async function listAvail(context: JobContext): Promise<string[]> {
  return (await run(context, ["locale", "-a"])).split("\n");
}

/** What localectl says of the system: variable → value. @throws {CommandExecutionError} */
async function localectl(context: JobContext): Promise<Map<string, string>> {
  if (programPath(context, "localectl") === undefined) throw new CommandExecutionError('Unable to find "localectl"');
  const { stdout, stderr } = await runAll(context, ["localectl", "status"], { ignore_retcode: true });
  if (stderr.includes("Failed to connect to bus: No such file or directory")) {
    throw new CommandExecutionError('Command "localectl" is in a degraded state.');
  }
  const section = /System Locale: ?([\s\S]*?)(?:\n\s+[A-Z][^\n=]*: |$)/.exec(stdout)?.[1];
  if (section === undefined) throw new CommandExecutionError('Unable to parse result of "localectl"');
  return new Map([...section.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!]));
}

/** Where the locale stands without systemd, by family. */
const FILES: Record<string, { path: string; variable: string }> = {
  Suse: { path: "/etc/sysconfig/language", variable: "RC_LANG" },
  RedHat: { path: "/etc/sysconfig/i18n", variable: "LANG" },
  Debian: { path: "/etc/default/locale", variable: "LANG" },
};

function fileOf({ grains }: JobContext): { path: string; variable: string } {
  const file = FILES[str(grains.os_family)];
  if (file !== undefined) return file;
  throw new CommandExecutionError(`Error: "${str(grains.os_family)}" is unsupported!`);
}

async function writeFile(context: JobContext, path: string, variable: string, text: string): Promise<void> {
  if (!isFile(context.runtime.fs, path)) await context.call("file.touch", [path]);
  await context.call("file.replace", [path, `^${variable}=.*`, text], { append_if_not_found: true });
}

async function setLocale(context: JobContext, locale: unknown): Promise<true> {
  parseLocale(locale);
  const major = Number(context.grains.osmajorrelease ?? 0);
  if (booted(context) && !(context.grains.os_family === "Debian" && major >= 13)) {
    const values = (await localectl(context)).set("LANG", str(locale));
    const words = [...values].map(([name, value]) => `${name}=${value}`);
    const { retcode } = await runAll(context, ["localectl", "set-locale", ...words], { ignore_retcode: true });
    if (retcode !== 0) await writeFile(context, "/etc/locale.conf", "LANG", `LANG=${str(locale)}`);
    return true;
  }
  const { path, variable } = fileOf(context);
  if (context.grains.os_family === "Debian") {
    const program = programPath(context, "update-locale");
    if (program === undefined) throw new CommandExecutionError('Cannot set locale: "update-locale" was not found.');
    await run(context, [program]);
  }
  await writeFile(context, path, variable, `${variable}="${str(locale)}"`);
  return true;
}

/** The line of a locale in the list of those that can be made; undefined if it cannot. */
function supported(context: JobContext, parts: Locale): string | undefined {
  const { fs } = context.runtime;
  const { os, os_family: family } = context.grains;
  const whole = parts.charmap === "" && os !== "Ubuntu" ? { ...parts, charmap: parts.codeset } : parts;
  if (os === "Debian" || family === "Gentoo") {
    const list = "/usr/share/i18n/SUPPORTED";
    const line = join(whole);
    return isFile(fs, list) && fs.readText(list).split("\n").includes(line) ? line : undefined;
  }
  const folder = family === "Suse" ? "/usr/share/locale" : "/usr/share/i18n/locales";
  if (!exists(fs, folder)) throw new CommandExecutionError(`Locale "${join(parts)}" is not available.`);
  return fs.list(folder).includes(`${parts.language}_${parts.territory}`) ? join(whole) : undefined;
}

async function genLocale(context: JobContext, locale: unknown, verbose: unknown): Promise<unknown> {
  const parts = parseLocale(locale);
  const line = supported(context, parts);
  if (line === undefined) {
    context.log.error("this locale cannot be made here", { locale: str(locale) });
    return false;
  }
  if (exists(context.runtime.fs, GENERATED)) {
    const pattern = `^\\s*#\\s*${escapeRegexp(line)}\\s*$`;
    await context.call("file.replace", [GENERATED, pattern, `${line}\n`], { append_if_not_found: true });
  }
  const { language, territory, codeset } = parts;
  const place = `${language}_${territory}`;
  let words: string[];
  if (programPath(context, "locale-gen") !== undefined) {
    const name = context.grains.os === "Ubuntu" ? normal(locale) : line;
    words = ["locale-gen", ...(context.grains.os_family === "Gentoo" ? ["--generate"] : []), name];
  } else if (programPath(context, "localedef") !== undefined) {
    const loud = truthy(verbose) ? "--verbose" : "--quiet";
    words = ["localedef", "--force", "-i", place, "-f", codeset, `${place}.${codeset}`, loud];
  } else throw new CommandExecutionError('Command "locale-gen" or "localedef" was not found on this system.');
  const outcome = await runAll(context, words);
  return truthy(verbose) ? outcome : outcome.retcode === 0;
}

export const module: ExecutionModule = {
  functions: executionFunctions({
    "list_avail()": {
      doc: "The locales that are there.\n\n    salt '*' locale.list_avail",
      run: listAvail,
    },
    "get_locale()": {
      doc: "The locale of the system.\n\n    salt '*' locale.get_locale",
      async run(context): Promise<string> {
        if (booted(context)) return (await localectl(context)).get("LANG") ?? "";
        const { path, variable } = fileOf(context);
        const { fs } = context.runtime;
        if (!isFile(fs, path)) return "";
        const line = fs.readText(path).split("\n").find((one) => one.startsWith(`${variable}=`));
        return line === undefined ? "" : line.slice(variable.length + 1).replaceAll('"', "");
      },
    },
    "set_locale(locale)": {
      doc: "Sets the locale of the system.\n\n    salt '*' locale.set_locale en_US.UTF-8",
      run: (context, { locale }) => setLocale(context, locale),
    },
    "avail(locale)": {
      doc: "True if there is such a locale.\n\n    salt '*' locale.avail en_US.UTF-8",
      async run(context, { locale }) {
        try {
          const wanted = normal(locale);
          return (await listAvail(context)).some((one) => /^[A-Za-z]/.test(one) && sameLocale(one, wanted));
        } catch (error) {
          if (!(error instanceof SaltInvocationError)) throw error;
          context.log.error("unable to validate locale", { why: messageOf(error) });
          return false;
        }
      },
    },
    "gen_locale(locale, **kwargs)": {
      doc:
        "Makes a locale; with `verbose`, what the program said.\n\n    salt '*' locale.gen_locale 'en_IE.UTF-8 UTF-8'",
      run: (context, { locale, kwargs }) => genLocale(context, locale, kwargs.verbose),
    },
  }),
};

/** True for a name of the system's that stands for that locale. */
function sameLocale(name: string, wanted: string): boolean {
  try {
    return normal(name.trim()) === wanted;
  } catch (error) {
    // What `locale -a` prints beside locales is none.
    if (error instanceof SaltInvocationError) return false;
    throw error;
  }
}
