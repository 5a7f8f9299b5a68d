import type { ExtPillar, PillarContext } from "../../model/loader/ext_pillar.ts";
import { type AnyMap, repr, str, truthy } from "../../language/python/values.ts";
import { dictGet, dictSet, MISSING } from "../../language/python/dict.ts";
import { decodeUtf8 } from "../../language/python/utf8.ts";

/** The largest file. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Python's dialects, by what separates their fields; all quote with `"`, and double it inside of quotes. */
const DELIMITERS: Record<string, string> = { excel: ",", "excel-tab": "\t", unix: "," };

/** Yields the rows of a text as Python's `csv.reader` reads them; an empty line is an empty row. */
function* rowsOf(text: string, delimiter: string): Generator<string[]> {
  let row: string[] = [];
  let field = "";
  let isQuoted = false;
  let hasStarted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (isQuoted) {
      if (char !== '"') field += char;
      else if (text[at + 1] === '"') field += text[++at];
      else isQuoted = false;
    } else if (char === "\n" || char === "\r") {
      if (char === "\r" && text[at + 1] === "\n") at++;
      yield hasStarted ? [...row, field] : [];
      [row, field, hasStarted] = [[], "", false];
    } else if (char === delimiter) {
      row.push(field);
      [field, hasStarted] = ["", true];
    } else if (char === '"' && field === "") {
      isQuoted = hasStarted = true;
    } else {
      field += char;
      hasStarted = true;
    }
  }
  if (hasStarted) yield [...row, field];
}

function textOf({ runtime: { fs } }: PillarContext, path: string): string {
  const { kind, size = 0 } = fs.stat(path) ?? {};
  if (kind !== "file") {
    throw new Error(`Cannot read "${path}": ${kind === undefined ? "there is no such file" : `it is a ${kind}`}`);
  }
  if (size > MAX_BYTES) throw new Error(`Cannot read "${path}": it has more than ${MAX_BYTES} bytes`);
  return decodeUtf8(fs.read(path));
}

/** The row of a CSV file whose column `idkey` is the minion's id, as a map of column names to values. */
export const pillar: ExtPillar = {
  signature: "path, idkey=id, namespace=None, fieldnames=None, restkey=None, restval=None, dialect=excel",
  neverOnDemand: "it reads any file of the master",
  run(context, { path, idkey, namespace, fieldnames, restkey, restval, dialect }) {
    const delimiter = Object.hasOwn(DELIMITERS, str(dialect)) ? DELIMITERS[str(dialect)]! : undefined;
    if (delimiter === undefined) {
      throw new Error(`Cannot use the dialect ${repr(dialect)}: expected one of ${Object.keys(DELIMITERS).join(", ")}`);
    }
    let names: unknown[] | undefined = Array.isArray(fieldnames) ? fieldnames : undefined;
    for (const values of rowsOf(textOf(context, str(path)), delimiter)) {
      if (names === undefined) {
        names = values;
        continue;
      }
      if (values.length === 0) continue;
      const row: AnyMap = new Map();
      names.forEach((name, at) => dictSet(row, name, values[at] ?? restval));
      if (values.length > names.length) dictSet(row, restkey, values.slice(names.length));
      const id = dictGet(row, idkey);
      if (id === MISSING) throw new Error(`Cannot find minions in "${path}": it has no column ${repr(idkey)}`);
      if (id !== context.id) continue;
      return Promise.resolve(truthy(namespace) ? new Map([[namespace, row]]) : row);
    }
    return Promise.resolve({});
  },
};
