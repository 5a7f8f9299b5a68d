import { splitLines, splitWords } from "../../../language/python/text.ts";

/** The line under which Salt keeps what is its own; what is above stays as it is. */
const MARK = "# Lines below here are managed by Salt, do not edit";
const IDENTIFIER = "SALT_CRON_IDENTIFIER";
const DISABLED = "#DISABLED#";

interface Labelled {
  cmd: string;
  identifier: string | null;
  comment: string | null;
  commented: boolean;
}

export interface CronJob extends Labelled {
  minute: string;
  hour: string;
  daymonth: string;
  month: string;
  dayweek: string;
}

/** A job at `@reboot` and the like. */
export interface Special extends Labelled {
  spec: string;
}

/** A table of cron in Salt's form. */
export interface CronTable {
  pre: string[];
  crons: CronJob[];
  special: Special[];
  env: { name: string; value: string }[];
}

export const TIMES = ["minute", "hour", "daymonth", "month", "dayweek"] as const;

export function parseTable(text: string): CronTable {
  const table: CronTable = { pre: [], crons: [], special: [], env: [] };
  let managed = false;
  let comment: string | null = null;
  let identifier: string | null = null;
  for (const full of splitLines(text)) {
    if (full === MARK) {
      managed = true;
      continue;
    }
    if (!managed) {
      table.pre.push(full);
      continue;
    }
    const commented = full.startsWith(DISABLED);
    const line = commented ? full.slice(DISABLED.length) : full;
    if (line.startsWith("#")) {
      const at = line.indexOf(`${IDENTIFIER}:`);
      if (at >= 0) identifier = line.slice(at + IDENTIFIER.length + 1).trim();
      const said = (at < 0 ? line : line.slice(0, at)).replace(/^[#\s]+/, "").trimEnd();
      if (said !== "") comment = comment === null ? said : `${comment}\n${said}`;
      continue;
    }
    const words = splitWords(line);
    if (line.startsWith("@")) {
      if (words.length >= 2) {
        table.special.push({ spec: words[0]!, cmd: words.slice(1).join(" "), identifier, comment, commented });
      }
    } else if (/^\w+\s*=/.test(line)) {
      const at = line.indexOf("=");
      table.env.push({ name: line.slice(0, at).trim(), value: line.slice(at + 1) });
    } else if (words.length > 5) {
      // Blanks inside of a command count.
      const cmd = /^\s*(?:\S+\s+){5}(.*)$/.exec(line)![1]!;
      const [minute = "", hour = "", daymonth = "", month = "", dayweek = ""] = words;
      table.crons.push({ minute, hour, daymonth, month, dayweek, identifier, cmd, comment, commented });
    } else continue;
    comment = null;
    identifier = null;
  }
  return table;
}

function label({ comment, identifier, commented }: Labelled): string {
  const said = comment === null || comment === "" ? "" : ` ${comment.replaceAll("\n", "\n# ")}`;
  const named = identifier === null || identifier === "" ? "" : ` ${IDENTIFIER}:${identifier}`;
  return `${said === "" && named === "" ? "" : `#${said}${named}\n`}${commented ? DISABLED : ""}`;
}

export function renderTable({ pre, crons, special, env }: CronTable): string {
  const lines = [
    ...pre,
    MARK,
    // crontab takes a name without a value for no table at all.
    ...env.map(({ name, value }) => `${name}=${value === "" ? '""' : value}`),
    ...crons.map((job) => `${label(job)}${TIMES.map((time) => job[time]).join(" ")} ${job.cmd}`),
    ...special.map((job) => `${label(job)}${job.spec} ${job.cmd}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** Stands for no identifier. */
const NO_IDENTIFIER = "NO ID SET";

/** Whether an entry is the one that is meant: by its identifier, or if it has none by its command. */
export function isMeant(entry: Labelled, cmd: string | undefined, identifier: string | undefined): boolean {
  // Entries from before there were identifiers get one when they are next set.
  if (entry.identifier === null || entry.identifier === "") return entry.cmd === cmd;
  const wanted = identifier === undefined || identifier === "" ? NO_IDENTIFIER : identifier;
  if (entry.identifier === NO_IDENTIFIER) return entry.cmd === cmd;
  return wanted === entry.identifier;
}
