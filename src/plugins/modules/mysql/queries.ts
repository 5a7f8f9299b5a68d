import { executionFunctions, type JobContext } from "../../../model/loader/family.ts";
import { type Args, Float, str } from "../../../language/python/values.ts";
import { isFile } from "../../linux/paths.ts";
import { connectionOf, execute, orElse } from "./client.ts";

/** Statements that return rows. */
const SELECTS = /^\s*(?:SELECT|SHOW|DESC)/i;
/** The field of our own question behind a statement. */
const COUNT = "brine_row_count";

const rounded = (value: number, digits: number) => Number(value.toFixed(digits));

function humanTime(seconds: number): string {
  return seconds < 0.2 ? `${floatText(rounded(seconds * 1000, 1))}ms` : `${floatText(rounded(seconds, 2))}s`;
}

const floatText = (value: number) => str(new Float(value));

type Result = Record<string, unknown>;

/** One statement; false if the server refuses it, an empty map if there is no connection. */
async function query(context: JobContext, database: unknown, sql: string, connection: Args): Promise<Result | false> {
  const { clock } = context.runtime;
  const start = clock.now();
  const own = { ...connection, connection_db: database };
  const found = await orElse(false as const, () => {
    const statement = sql.trim().replace(/;+$/, "");
    return execute(
      context,
      SELECTS.test(sql) ? `${statement};` : `${statement};\nSELECT ROW_COUNT() AS ${COUNT};`,
      own,
    );
  });
  if (found === false) return false;
  const seconds = (clock.now() - start) / 1000;
  const time = { human: humanTime(seconds), raw: floatText(rounded(seconds, 5)) };
  if (!SELECTS.test(sql)) {
    return { "query time": time, "rows affected": Math.max(0, Number(found.at(-1)?.[0]?.[0]?.[1] ?? 0)) };
  }
  const rows = found[0] ?? [];
  return {
    "query time": time,
    "rows returned": rows.length,
    columns: (rows[0] ?? []).map(([name]) => name),
    results: rows.map((row) => row.map(([, value]) => value)),
  };
}

/** SQL without its comments, and as single statements. A semicolon within quotes ends none. */
export function statementsIn(text: string): string[] {
  const statements: string[] = [];
  let current = "";
  const parts = text.match(
    /'(?:[^'\\]|\\[^]|'')*'|"(?:[^"\\]|\\[^]|"")*"|`[^`]*`|--(?=\s|$)[^\n]*|#[^\n]*|\/\*(?!!)[^]*?\*\/|;|[^]/g,
  ) ?? [];
  for (const part of parts) {
    if (/^(?:--|#|\/\*)/.test(part)) current += " ";
    else if (part === ";") {
      statements.push(current.trim());
      current = "";
    } else current += part;
  }
  statements.push(current.trim());
  return statements.filter((statement) => statement !== "");
}

/** Statements of the caller's own. */
export const QUERIES = executionFunctions({
  "query(database, query: str, **connection_args)": {
    doc: "Runs a statement, and returns its rows as texts, or how many it changed.\n\n" +
      `    salt '*' mysql.query mydb "SELECT id,name,cash from users limit 3"`,
    run: (context, args) => query(context, args.database, args.query, connectionOf(args)),
  },
  "file_query(database, file_name: str, **connection_args)": {
    doc: "Runs the statements of a file, of this host or the master's.\n\n" +
      "    salt '*' mysql.file_query mydb file_name=/tmp/sqlfile.sql",
    async run(context, args): Promise<Result | false> {
      let path = args.file_name;
      if (/^(?:salt|https?|swift|s3):\/\//.test(path)) path = str(await context.call("cp.cache_file", [path]));
      if (!isFile(context.runtime.fs, path)) {
        context.log.error("there is no such file of SQL", { path });
        return false;
      }
      const sum = { returned: 0, affected: 0, seconds: 0, columns: [] as unknown[], results: [] as unknown[] };
      for (const statement of statementsIn(context.runtime.fs.readText(path))) {
        const result = await query(context, args.database, statement, connectionOf(args));
        if (result === false) return false;
        sum.seconds += Number((result["query time"] as Result).raw);
        sum.returned += Number(result["rows returned"] ?? 0);
        sum.affected += Number(result["rows affected"] ?? 0);
        if ("columns" in result) sum.columns.push(result.columns);
        if ("results" in result) sum.results.push(result.results);
      }
      const time = { human: `${floatText(rounded(sum.seconds, 2))}s`, raw: new Float(rounded(sum.seconds, 5)) };
      return {
        ...(sum.returned > 0 ? { "rows returned": sum.returned } : {}),
        ...(sum.columns.length > 0 ? { columns: sum.columns } : {}),
        ...(sum.results.length > 0 ? { results: sum.results } : {}),
        ...(sum.affected > 0 ? { "rows affected": sum.affected } : {}),
        "query time": time,
      };
    },
  },
});
