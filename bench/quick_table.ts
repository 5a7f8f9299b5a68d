/** README's table of figures, made of the rows of `quick.ts`. */
import type { RawRow } from "./raw.ts";
import type { Row } from "./rows.ts";

/** README's words for a row of `quick.ts`. */
const WORDS: readonly (readonly [name: string, words: string])[] = [
  ["salt m1 test.ping, whole process", "`salt web1 test.ping`"],
  ["state.apply of one state", "one state on the minion's host"],
  ["500 managed files, nothing to do", "500 files with nothing to change"],
  ["processor time of the master for a return", "processor time to store a result"],
  [
    "processor time of the master for a highstate",
    "processor time to serve one minion's states",
  ],
  ["memory of an idle master", "memory of an idle master"],
];
const SIDES = ["one file", "node, bundle"];

/** Two digits: more would be noise. */
const short = (ratio: number) => `${Number(ratio.toPrecision(ratio >= 100 ? 3 : 2))}`;

function cell({ ratio, spread }: Row): string {
  if (ratio === undefined) return "";
  const [least, greatest] = (spread ?? [ratio, ratio]).map(short);
  return least === greatest ? short(ratio) : `${short(ratio)} (${least} to ${greatest})`;
}

/**
 * The table in markdown.
 *
 * @throws {RangeError} that names a row that is not there
 */
export function quickTable(rows: readonly Row[]): string {
  const lines = WORDS.map(([name, words]) => {
    const cells = SIDES.map((side) => {
      const row = rows.find((one) => one.name === name && one.note === side);
      if (row === undefined) {
        throw new RangeError(`The figures have no row "${name}" of "${side}": npm run bench:quick`);
      }
      return cell(row);
    });
    return `| ${words} | ${cells.join(" | ")} |`;
  });
  return ["| what | one program file | Node |", "|---|---|---|", ...lines].join("\n");
}

/**
 * The table of the last run of `quick.ts` in a file of figures, below what it was measured on.
 *
 * @throws {RangeError} if the file has no such run
 */
export function quickReport(all: readonly RawRow[]): string {
  const found = all.filter(({ bench }) => bench === "quick");
  const at = found.map((row) => row.at).sort().at(-1);
  const rows = found.filter((row) => row.at === at);
  const table = quickTable(rows);
  const { machine, load, versions } = rows[0]!;
  const day = new Date(at!).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  return `Salt ${versions.salt} needs this many times the time or memory of Brine (lowest to highest measurement):

${table}

${day}, ${machine}, load ${load}.`;
}
