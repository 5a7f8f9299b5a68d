/** Writes `docs/options.md` from the option tables. With `--check` it only says whether the file is up to date. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { MASTER_OPTIONS } from "../src/model/config/master_opts.ts";
import { MINION_OPTIONS } from "../src/model/config/minion_opts.ts";
import type { OptionSpec, OptionTable } from "../src/model/config/option.ts";
import { CELL, countWords } from "./words/rules.ts";
import { SALT_MASTER_OPTIONS, SALT_MINION_OPTIONS, type SaltOption } from "../src/model/config/salt_options.ts";

type Usual = Readonly<Record<string, readonly [use: string, example: string]>>;

/** The options that most installations set: what for, and an example as it is written in the file. */
const USUAL: Readonly<Record<"master" | "minion", Usual>> = {
  master: {
    interface: ["listen on one address only", "10.0.0.5"],
    publish_port: ["use another port than 4505", "14505"],
    ret_port: ["use another port than 4506", "14506"],
    user: ["run as another user than root", "salt"],
    file_roots: ["say where states and files are", "{base: [/srv/salt]}"],
    pillar_roots: ["say where pillar is", "{base: [/srv/pillar]}"],
    fileserver_backend: ["serve files from git too", "[roots, git]"],
    gitfs_remotes: ["name the git repositories", "[https://git.example/states.git]"],
    nodegroups: ["name groups of minions", "{shop: 'G@role:web'}"],
    publisher_acl: ["let users of this host run some functions", "{ann: [test.ping]}"],
    external_auth: ["let people and programs log in", "{file: {^filename: /etc/salt/users, ann: [test.ping]}}"],
    netapi_enable_clients: ["say what salt-api may run", "[local, runner]"],
    reactor: ["react to events", "[{salt/auth: [/srv/reactor/auth.sls]}]"],
    master_job_cache: ["keep jobs elsewhere", "postgres"],
    keep_jobs_seconds: ["keep jobs longer", "604800"],
    log_level: ["log more", "info"],
  },
  minion: {
    master: ["say where the master is", "salt.example"],
    id: ["name this minion", "web1"],
    master_port: ["connect to another `ret_port` than 4506", "14506"],
    master_finger: ["refuse any other master", "5f:0c:…"],
    master_type: ["try one master after the other", "failover"],
    grains: ["add facts about the host", "{role: web}"],
    mine_functions: ["give values to other minions", "{network.ip_addrs: []}"],
    beacons: ["watch the host", "{load: [{averages: {1m: [0, 4]}}]}"],
    startup_states: ["apply states at each start", "highstate"],
  },
};

const INTRODUCTION = `# Options

\`scripts/options.ts\` writes this page from the tables in \`src/model/config\`. It has every option of Salt 3006, 3007 and 3008.

The options of a master and of a minion come first. "Partly" names a difference from Salt. The last table has the options
without an effect, and what to use instead. A daemon logs each such option once at the start, unless it has Salt's default. An
option that would do harm if Brine ignored it stops the daemon.

- **Files.** Options in \`master.d/*.conf\` and \`minion.d/*.conf\` replace those of the main file.
- **Names.** A daemon warns about an unknown name that resembles an option, with file and line. Returners and other modules have
  names with dots (\`returner.postgres.host\`). Custom modules may read other names.
- **Values.** A number may be written as text, and a list of one item without brackets. \`null\` (nothing after the colon) means
  the default. Any other value of a wrong type or out of range stops the daemon, with file and line. A wrong
  \`log_level\` only causes a warning, and the default is used.
- [The HTTP interface](api.md) lists the settings of \`rest_cherrypy\` and \`rest_tornado\`. [Permissions](permissions.md)
  explains \`external_auth\` and \`publisher_acl\`. [Compatibility](internals/compatibility.md) lists the intended differences from Salt.
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

/** The part of a text that fits into a cell, and what goes into the list below the table. */
function fitted(text: string): [cell: string, more: string] {
  if (countWords(text) <= CELL) return [text, ""];
  const [first = ""] = /^.*?[^\d.]\.(?= )|$/.exec(text) ?? [];
  const isCut = first !== "" && countWords(`${first} More below.`) <= CELL;
  return isCut ? [`${first} More below.`, text.slice(first.length).trim()] : ["See below.", text];
}

/** What does not fit into cells, an item for each option. */
const more = (title: string, items: string[]) => items.length === 0 ? "" : `\n\n${title}\n\n${items.join("\n")}`;

function effects(options: OptionTable, title: string): string {
  const items: string[] = [];
  const rows = byName(options).map(([name, spec]) => {
    const [effect, rest] = fitted(spec.differs === undefined ? spec.doc : `${spec.doc} Partly: ${spec.differs}.`);
    if (rest !== "") items.push(`- \`${name}\`: ${withPaths(rest)}`);
    return `| \`${name}\` | ${typeOf(spec)} | ${cell(written(spec.default))} | ${cell(effect)} |`;
  });
  return table("| option | type | default | effect |", rows) + more(title, items);
}

const STATUS: Record<SaltOption["status"], string> = {
  none: "no effect",
  planned: "not yet",
  unneeded: "not needed",
  refused: "stops a daemon",
};

function withoutEffect(): string {
  const both = { ...SALT_MASTER_OPTIONS, ...SALT_MINION_OPTIONS };
  const items = new Map<string, string[]>();
  const rows = byName(both).map(([name, row]) => {
    const [master, minion] = [SALT_MASTER_OPTIONS, SALT_MINION_OPTIONS].map((options) => Object.hasOwn(options, name));
    const host = master ? minion ? "both" : "master" : "minion";
    const { status, instead, since, default: usual } = row;
    const release = since === undefined ? "" : ` (since ${since})`;
    const [advice, rest] = fitted(instead);
    if (rest !== "") items.set(rest, [...items.get(rest) ?? [], `\`${name}\``]);
    return `| \`${name}\`${release} | ${host} | ${cell(written(usual))} | ${STATUS[status]} | ${cell(advice)} |`;
  });
  return table("| option | of | Salt's default | status | instead |", rows) +
    more("More on these options:", [...items].map(([rest, names]) => `- ${names.join(", ")}: ${withPaths(rest)}.`));
}

/** The table of {@link USUAL}, with the defaults of the option tables. */
function usual(): string {
  const tables: Record<string, OptionTable> = { master: MASTER_OPTIONS, minion: MINION_OPTIONS };
  const rows = (["master", "minion"] as const).flatMap((of) =>
    Object.entries(USUAL[of]).map(([name, [use, example]]) => {
      const spec = tables[of]?.[name];
      if (spec === undefined) throw new Error(`${name} is no option of a ${of}: change USUAL`);
      return `| \`${name}\` | ${of} | ${cell(use)} | ${cell(written(spec.default))} | \`${cell(example)}\` |`;
    })
  );
  return table("| option | of | set it to | default | example |", rows);
}

const COUNT = Object.values(USUAL).flatMap((options) => Object.keys(options)).length;

/** The whole text of `docs/options.md`. */
export function optionsDocument(): string {
  return [
    INTRODUCTION,
    `## The ${COUNT} options that you set\n`,
    usual(),
    "",
    "## Master\n",
    effects(MASTER_OPTIONS, "More on options of a master:"),
    "\n## Minion\n",
    effects(MINION_OPTIONS, "More on options of a minion:"),
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
