import { executionFunctions, type ExecutionModule, type JobContext } from "../../model/loader/family.ts";
import { integerOf, str, toInteger, truthy } from "../../language/python/values.ts";
import { strip } from "../../language/python/text.ts";
import { operand, programPath, run } from "../commands.ts";

/** What a value is not if a vendor filled it in, by the name of its field; the first row that fits decides. */
const EMPTY: readonly [field: RegExp, value: RegExp][] = [
  [/serial|part|version/, /^0+$|^0?1234567|sernum|part[_-]?number|specified|filled|applicable/i],
  [/asset|manufacturer/, /manufacturer|to be filled|available|asset|^no(?:ne|t)/i],
  [/(?:)/, /to be filled|un(?:known|specified)|no(?:t|ne)? (?:asset|provided|defined|available|present|specified)/i],
];

function isReal(field: string, value: string): boolean {
  if (value === "" || /^none/i.test(value)) return false;
  if (field.includes("uuid")) {
    return /^[0-9a-f]{32}$/i.test(
      value.replaceAll(/urn:|uuid:/g, "").replace(/^[{}]+|[{}]+$/g, "").replaceAll("-", ""),
    );
  }
  const [, empty] = EMPTY.find(([name]) => name.test(field))!;
  return !empty.test(value);
}

const program = (context: Pick<JobContext, "runtime">): string | undefined =>
  ["dmidecode", "smbios"].map((name) => programPath(context, name)).find((path) => path !== undefined);

const decoded = (context: JobContext, ...words: string[]): Promise<string> =>
  run(context, [program(context) ?? "dmidecode", ...words], { ignore_retcode: true, output_loglevel: "quiet" });

function valueOf(field: string, text: string, clean: boolean): unknown {
  if (clean && !isReal(field, text)) return undefined;
  if (/^(?:serial|part|asset|product)/i.test(field)) return text;
  if (text.includes(",")) return text.split(",").map(strip);
  return /^[+-]?\d+(?:_\d+)*$/.test(text) ? toInteger(integerOf(text)) : text;
}

/** The fields of a record: a line with one tab begins a field, those with two go on with it. */
function fieldsOf(lines: readonly string[], clean: boolean, wanted: unknown): Record<string, unknown> {
  const found: Record<string, { value: unknown; more: unknown[] }> = {};
  let field: { value: unknown; more: unknown[] } | undefined;
  let name = "";
  for (const line of lines) {
    const at = line.indexOf(":");
    if (/^\t\S/.test(line) && at >= 0) {
      name = strip(line.slice(0, at)).toLowerCase().replaceAll(" ", "_");
      const skipped = (clean && name === "header_and_data") ||
        (truthy(wanted) && !(Array.isArray(wanted) ? wanted.includes(name) : str(wanted).includes(name)));
      field = skipped ? undefined : { value: valueOf(name, strip(line.slice(at + 1)), clean), more: [] };
      if (field !== undefined) found[name] = field;
    } else if (field !== undefined && /^\t\t\S/.test(line)) {
      const value = valueOf(name, strip(line), clean);
      if (value !== undefined) field.more.push(value);
    }
  }
  // Salt loses the last field of each record.
  return Object.fromEntries(
    Object.entries(found)
      .map(([key, { value, more }]) => [
        key,
        more.length === 0 ? value : value === undefined ? more : [value, ...more],
      ])
      .filter(([, value]) => value !== undefined),
  );
}

/** What the firmware says of the hardware. */
export const module: ExecutionModule = {
  virtual: (context) =>
    program(context) !== undefined ||
    { unavailable: "The smbios execution module failed to load: neither dmidecode nor smbios in the path." },
  functions: executionFunctions({
    "get(string, clean: bool=True)": {
      doc: "One value of the firmware; null if the vendor left it empty.\n\n" +
        "    salt '*' smbios.get system-uuid\n\n" +
        "string: a name that dmidecode knows\nclean: False for values that mean nothing, too",
      async run(context, args): Promise<string | null> {
        const field = operand(args.string, "a name of dmidecode");
        const text = strip(await decoded(context, "-s", field));
        const value = text.split("\n").filter((line) => !line.startsWith("#")).join("\n");
        return value.startsWith("/dev/mem") || (args.clean && !isReal(field, value)) ? null : value;
      },
    },
    "records(rec_type=None, fields=None, clean: bool=True)": {
      doc: "The records of the firmware.\n\n    salt '*' smbios.records 4 core_count,thread_count\n\n" +
        "rec_type: a number or word that dmidecode knows\nfields: only these fields\n" +
        "clean: False for values that mean nothing, too",
      async run(context, { rec_type: type, fields, clean: cleaned }): Promise<unknown[]> {
        const clean = cleaned;
        const text = await decoded(context, ...(type === null ? [] : ["-t", operand(type, "a type of records")]));
        const parts = text.split(/(handle [0-9]x[0-9a-f]+[^\n]+)\n/i).slice(1);
        const found: unknown[] = [];
        for (let at = 0; at + 1 < parts.length; at += 2) {
          const [handle, kind] = parts[at]!.split(",").map((word) => strip(word).split(/\s+/).at(-1)!);
          const [description = "", ...lines] = parts[at + 1]!.split("\n");
          const data = fieldsOf(lines, clean, fields);
          const record = { handle, description: strip(description), type: Number(kind) };
          if (Object.keys(data).length > 0) found.push({ ...record, data });
          else if (!clean) found.push(record);
        }
        return found;
      },
    },
  }),
};
