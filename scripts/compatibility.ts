/**
 * Writes `docs/compatibility-table.md` from the tables of our modules and the names that Salt's releases have
 * (`scripts/compatibility/salt.json`, written by `record.py` beside it). With `--check` it only says whether it is up to date.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { ABSENT_SDB } from "../src/model/loader/sdb.ts";
import { BEACONS } from "../src/plugins/beacons/mod.ts";
import { EAUTH } from "../src/plugins/eauth/mod.ts";
import { MODULES } from "../src/plugins/modules/mod.ts";
import { OUTPUTTERS } from "../src/plugins/outputters/mod.ts";
import { EXT_PILLARS } from "../src/plugins/pillar/mod.ts";
import { RETURNERS } from "../src/plugins/returners/mod.ts";
import { RUNNERS } from "../src/plugins/runners/mod.ts";
import { SDB } from "../src/plugins/sdb/mod.ts";
import { SERIALIZERS } from "../src/plugins/serializers/mod.ts";
import { STATES } from "../src/plugins/states/mod.ts";
import { TOPS } from "../src/plugins/tops/mod.ts";
import { WHEELS } from "../src/plugins/wheel/mod.ts";
import { RENDERER_NAMES } from "../src/language/render/renderers.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const RELEASES = ["3006", "3007", "3008"] as const;

/** A module of Salt: the name that it is called by, the last digits of its releases, its functions. */
interface SaltModule {
  as?: string;
  in?: string;
  /** `apply held:67`: a function, and the releases that have it where those are not all that have the module. */
  functions?: string;
}

type Family = Record<string, SaltModule>;
const SALT = JSON.parse(readFileSync(join(root, "scripts/compatibility/salt.json"), "utf8")) as Record<string, Family>;

/** Our module → Salt's file, where neither our name nor our file is that file's. On Linux, of several systems. */
const FILE_OF: Readonly<Record<string, Record<string, string>>> = {
  modules: {
    cmd: "cmdmod",
    group: "groupadd",
    locale: "localemod",
    service: "systemd_service",
    shadow: "linux_shadow",
    sys: "sysmod",
    sysctl: "linux_sysctl",
    user: "useradd",
  },
  states: { pip: "pip_state", salt: "saltmod" },
};

/** What to use in place of a driver of sdb, by Salt's file. */
const ABSENT_FILES = Object.fromEntries(
  Object.entries(SALT.sdb!).flatMap(([file, { as = file }]) =>
    ABSENT_SDB[as] === undefined ? [] : [[file, ABSENT_SDB[as]]]
  ),
);

const INTRODUCTION = `# Compatibility table

\`npm run -s docs:compatibility\` writes this page. It compares the modules of Brine with those of Salt 3006, 3007 and 3008.

Each module of Salt has one row, under the name of its file. "12 of 14" means that Brine has 12 of its 14 functions. Below each
table is a list with the names of the functions that Brine has, lacks and adds. A function takes Salt's parameters and returns
what Salt's function returns. [Compatibility](internals/compatibility.md) lists the exceptions. [Options](options.md) lists every option.

- A few functions answer that they cannot work on this system, as in Salt.
- "3006, 3007" means that only these releases have the module or the function. Without a release, all three have it.
- Salt 3008 moved many modules into extensions, which are separate packages. This page lists them under the release that had them
  last.
- You can write a missing module as a [custom module](modules.md), in any language.
`;

const releases = (digits: string) => RELEASES.filter((release) => digits.includes(release.slice(-1)));

/** A name, and the releases that have it if not all do. */
function marked(name: string, digits: string | undefined): string {
  return digits === undefined ? `\`${name}\`` : `\`${name}\` (${releases(digits).join(", ")})`;
}

/** The functions of a module of Salt, with the releases that have each of them alone. */
function functionsOf({ functions = "" }: SaltModule): Map<string, string | undefined> {
  return new Map(
    functions.split(" ").filter((text) => text !== "").map((text) => text.split(":") as [string, string | undefined]),
  );
}

const sorted = (names: Iterable<string>) => [...names].sort((a, b) => a < b ? -1 : a > b ? 1 : 0);

interface Compared {
  file: string;
  salt: SaltModule | undefined;
  /** Functions of Salt that are here, those that are missing, and those that Salt lacks. */
  here: string[];
  missing: string[];
  added: string[];
}

function compare(file: string, salt: SaltModule | undefined, ours: readonly string[] = []): Compared {
  const theirs = salt === undefined ? new Map<string, undefined>() : functionsOf(salt);
  const list = (names: string[]) => names.map((one) => marked(one, theirs.get(one)));
  return {
    file,
    salt,
    here: list(sorted(theirs.keys()).filter((one) => ours.includes(one))),
    missing: list(sorted(theirs.keys()).filter((one) => !ours.includes(one))),
    added: sorted(ours).filter((one) => !theirs.has(one)).map((one) => `\`${one}\``),
  };
}

function moduleRow({ file, salt, here, missing, added }: Compared): string {
  const count = salt === undefined ? "Brine only" : `${here.length || "none"} of ${here.length + missing.length}`;
  return `| \`${file}\` | ${count} | ${added.length || ""} | ${releases(salt?.in ?? "").join(", ")} |`;
}

/** The functions of one module by name, as an item of a list. */
function moduleItem({ file, here, missing, added }: Compared): string {
  const parts = ([["here", here], ["missing", missing], ["added", added]] as const).filter(([, names]) =>
    names.length > 0
  );
  // A name with its releases ends its part of the list: a long one would be read as one sentence.
  const listed = (names: readonly string[]) => names.join(" ").replaceAll(") `", "); `");
  return `- **\`${file}\`**\n${parts.map(([title, names]) => `  - ${title}: ${listed(names)}`).join("\n")}`;
}

/** What we have of a family, by the file that it is in Salt. */
function byFile(family: string, ours: Record<string, readonly string[]>, fileNames: Record<string, string>) {
  const found = new Map<string, readonly string[]>();
  for (const [name, functions] of Object.entries(ours)) {
    const candidates = [FILE_OF[family]?.[name], fileNames[name], name];
    const file = candidates.find((one) => one !== undefined && Object.hasOwn(SALT[family]!, one)) ?? name;
    found.set(file, functions);
  }
  return found;
}

/** The files that a registry loads: name → file, without its ending. */
function fileNames(path: string): Record<string, string> {
  const text = readFileSync(join(root, path), "utf8");
  return Object.fromEntries(
    [...text.matchAll(/^ {2}(\w+): .*import\("\.\/(\w+)\.ts"\)/gm)].map((match) => match.slice(1, 3)),
  );
}

const HEAD = "| module | functions | added by Brine | only in |\n|---|---|---|---|";

/** A family whose functions callers name: a row for each module, and the names of the functions of those that are here. */
function functionTable(family: string, ours: Record<string, readonly string[]>): string {
  const found = byFile(family, ours, fileNames(`src/plugins/${family}/mod.ts`));
  const files = sorted(new Set([...found.keys(), ...Object.keys(SALT[family]!)]));
  const modules = files.map((file) => compare(file, SALT[family]![file], found.get(file)));
  const present = modules.filter(({ file }) => found.has(file));
  return [HEAD, ...modules.map(moduleRow), "", "Functions by module:", "", ...present.map(moduleItem)].join("\n");
}

/** A family that a configuration names: a row for each name, with the reason why it is missing where there is one. */
function nameTable(family: string, ours: readonly string[], why: Readonly<Record<string, string>> = {}): string {
  const isOurs = (name: string) => ours.includes(name) || ours.includes(SALT[family]![name]?.as ?? name);
  const theirs = sorted(Object.keys(SALT[family]!));
  const files = new Set(theirs.flatMap((name) => [name, SALT[family]![name]!.as ?? name]));
  const rows = [
    ...theirs.map((
      name,
    ) => [name, isOurs(name) ? "here" : "missing", releases(SALT[family]![name]!.in ?? "").join(", ")]),
    ...sorted(ours).filter((name) => !files.has(name)).map((name) => [name, "Brine only", ""]),
  ];
  const remark = (name: string) => Object.hasOwn(why, name) ? ` ${why[name]!.replaceAll("|", "\\|")} |` : " |";
  const hasRemarks = Object.keys(why).length > 0;
  const lines = rows.map(([name, status, only]) =>
    `| \`${name}\` | ${status} | ${only} |${hasRemarks ? remark(name!) : ""}`
  );
  const head = hasRemarks
    ? ["| name | status | only in | remark |", "|---|---|---|---|"]
    : ["| name | status | only in |", "|---|---|---|"];
  return [...head, ...lines].join("\n");
}

type Loaded = { functions: Record<string, unknown> };

/** The functions of each module of a registry. */
async function functionNames(registry: Record<string, () => Promise<Record<string, unknown>>>) {
  const entries = Object.entries(registry).map(async ([name, load]) => {
    const { functions } = Object.values(await load()).find((one): one is Loaded =>
      typeof one === "object" && one !== null && "functions" in one
    )!;
    return [name, Object.keys(functions).filter((one) => !/^mod_(init|watch|aggregate|run_check|beacon)/.test(one))];
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<string, string[]>;
}

/** Which beacons watch, and why the others do not. */
async function beacons() {
  const here: string[] = [];
  const why: Record<string, string> = {};
  for (const [name, load] of Object.entries(BEACONS)) {
    const text = await reasonOf(load);
    if (text === undefined) here.push(name);
    else why[name] = text;
  }
  return { here, why };
}

/** Why a beacon is absent everywhere; one that asks the host first is not. */
async function reasonOf(load: typeof BEACONS[string]): Promise<string | undefined> {
  const { unavailable } = await load();
  if (unavailable === undefined || unavailable.length > 0) return undefined;
  try {
    return (unavailable as () => string | undefined)();
  } catch {
    return undefined;
  }
}

/** The names of a registry that a release of ours may not have yet. */
async function namesIn(path: string): Promise<string[]> {
  if (!existsSync(join(root, path))) return [];
  const exported = await import(join(root, path)) as Record<string, unknown>;
  const registry = Object.values(exported).find((one) => typeof one === "object" && one !== null);
  return Object.keys(registry ?? {});
}

/** The whole text of `docs/compatibility-table.md`. */
export async function compatibilityDocument(): Promise<string> {
  const { here, why } = await beacons();
  const sections: [string, string][] = [
    ["Execution modules", functionTable("modules", await functionNames(MODULES))],
    ["State modules", functionTable("states", await functionNames(STATES))],
    ["Runners", functionTable("runners", await functionNames(RUNNERS))],
    ["Wheel modules", functionTable("wheel", await functionNames(WHEELS))],
    ["Beacons", nameTable("beacons", here, why)],
    ["Engines", nameTable("engines", [...await namesIn("src/plugins/engines/mod.ts"), "reactor"])],
    ["Renderers", nameTable("renderers", RENDERER_NAMES)],
    ["Returners", nameTable("returners", Object.keys(RETURNERS), { local_cache: "here as a job cache" })],
    ["Outputters", nameTable("output", Object.keys(OUTPUTTERS))],
    ["External pillars", nameTable("pillar", Object.keys(EXT_PILLARS))],
    ["Drivers of sdb", nameTable("sdb", Object.keys(SDB), ABSENT_FILES)],
    ["Serializers", nameTable("serializers", Object.keys(SERIALIZERS))],
    ["Master tops", nameTable("tops", Object.keys(TOPS))],
    ["Logins (external_auth)", nameTable("auth", Object.keys(EAUTH))],
    ["File server", nameTable("fileserver", ["roots", "gitfs"])],
    ["Missing families", absentFamilies()],
  ];
  return [INTRODUCTION, ...sections.map(([title, text]) => `## ${title}\n\n${text}\n`)].join("\n");
}

/** Families of Salt of which nothing is here. */
function absentFamilies(): string {
  const rows: [string, string][] = [
    ["proxy", "Proxy minions, for devices that run no minion"],
    ["roster", "`salt-ssh`, for hosts without a minion"],
    ["thorium", "Thorium, the complex reactor"],
    ["queues", "Queues of the runner `queue`"],
  ];
  const names = (family: string) => sorted(Object.keys(SALT[family]!)).map((name) => `\`${name}\``).join(" ");
  return `Brine has no module of these families:\n\n${
    rows.map(([family, what]) => `- ${what}: ${names(family)}`).join("\n")
  }`;
}

export const COMPATIBILITY_FILE: string = join(root, "docs", "compatibility-table.md");

if (import.meta.main) {
  const text = await compatibilityDocument();
  if (!process.argv.includes("--check")) writeFileSync(COMPATIBILITY_FILE, text);
  else if (readFileSync(COMPATIBILITY_FILE, "utf8") !== text) {
    console.error("docs/compatibility-table.md is out of date: run npm run -s docs:compatibility");
    process.exitCode = 1;
  }
}
