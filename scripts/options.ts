/** Writes `docs/options.md` from the option tables. With `--check` it only says whether the file is up to date. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { MASTER_OPTIONS } from "../src/config/master_opts.ts";
import { MINION_OPTIONS } from "../src/config/minion_opts.ts";
import type { OptionSpec, OptionTable } from "../src/config/option.ts";
import { SALT_MASTER_OPTIONS, SALT_MINION_OPTIONS, type SaltOption } from "../src/config/salt_options.ts";

const INTRODUCTION = `# Options

Written by \`scripts/options.ts\` from the tables in \`src/config\`; a test holds it up to date.

Every option of Salt 3006, 3007 and 3008 is here, by its name. Options of a master and of a minion that have an effect come
first; "Partly" says what is not as in Salt. Options without an effect come last, with what to use instead. A daemon that finds
one of them in its configuration, with another value than Salt's default, names it once in its log when it starts; an option that
would do harm if it were ignored stops it.

- **Names.** An unknown name that is like an option's is warned of, with file and line. Names with dots belong to returners and
  other modules (\`returner.postgres.host\`); names that are like no option's may be read by custom modules.
- **Values.** A number may be written as text, a list of one item without brackets; \`null\` (nothing behind the colon) means the
  default. Any other value of a wrong type, or out of its range, stops a daemon, with file and line; a wrong \`log_level\` is warned
  of, and the default is used.
- **Files.** Options in \`master.d/*.conf\` and \`minion.d/*.conf\` replace those of the main file.
- The settings below \`rest_cherrypy\` and \`rest_tornado\` are in [api.md](api.md), permissions in
  [permissions.md](permissions.md), and where Brine differs from Salt on purpose in [compatibility.md](compatibility.md).
`;

/** A value as one would write it in the configuration. */
function written(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (value === true) return "`True`";
  if (value === false) return "`False`";
  if (value instanceof Number) return `\`${Number(value).toFixed(1)}\``;
  return `\`${JSON.stringify(value)}\``;
}

/** What a row says of the types of values; those of `any` are named by the sentence. */
function typeOf({ type, default: usual }: OptionSpec<unknown>): string {
  return usual instanceof Number ? "number" : type;
}

/** A path such as `<cachedir>/proc` as code: outside of code it would be read as HTML, and not shown. */
const withPaths = (text: string) =>
  text.split("`").map((part, at) => at % 2 === 1 ? part : part.replace(/<\w+>(?:[/.\w]|<\w+>)*\w/g, "`$&`")).join("`");

const cell = (text: string) => withPaths(text).replaceAll("|", "\\|");

const table = (head: string, rows: string[]) => [head, head.replace(/[^|]+/g, "---"), ...rows].join("\n");

const byName = <T>(options: Readonly<Record<string, T>>) =>
  Object.entries(options).sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);

function effects(options: OptionTable): string {
  const rows = byName(options).map(([name, spec]) => {
    const effect = spec.differs === undefined ? spec.doc : `${spec.doc} Partly: ${spec.differs}.`;
    return `| \`${name}\` | ${typeOf(spec)} | ${cell(written(spec.default))} | ${cell(effect)} |`;
  });
  return table("| option | type | default | effect |", rows);
}

const STATUS: Record<SaltOption["status"], string> = {
  none: "no effect",
  planned: "not yet",
  unneeded: "not needed",
  refused: "stops a daemon",
};

function withoutEffect(): string {
  const both = { ...SALT_MASTER_OPTIONS, ...SALT_MINION_OPTIONS };
  const rows = byName(both).map(([name, row]) => {
    const [master, minion] = [SALT_MASTER_OPTIONS, SALT_MINION_OPTIONS].map((options) => Object.hasOwn(options, name));
    const host = master ? minion ? "both" : "master" : "minion";
    const { status, instead, since, default: usual } = row;
    const release = since === undefined ? "" : ` (since ${since})`;
    return `| \`${name}\`${release} | ${host} | ${cell(written(usual))} | ${STATUS[status]} | ${cell(instead)} |`;
  });
  return table("| option | of | Salt's default | status | instead |", rows);
}

/** The whole text of `docs/options.md`. */
export function optionsDocument(): string {
  return [
    INTRODUCTION,
    "## Master\n",
    effects(MASTER_OPTIONS),
    "\n## Minion\n",
    effects(MINION_OPTIONS),
    "\n## Options of Salt without effect\n",
    withoutEffect(),
    "",
  ].join("\n");
}

export const OPTIONS_FILE: string = join(fileURLToPath(new URL("..", import.meta.url)), "docs", "options.md");

if (import.meta.main) {
  const text = optionsDocument();
  if (!process.argv.includes("--check")) writeFileSync(OPTIONS_FILE, text);
  else if (readFileSync(OPTIONS_FILE, "utf8") !== text) {
    console.error("docs/options.md is out of date: run node scripts/options.ts");
    process.exitCode = 1;
  }
}
