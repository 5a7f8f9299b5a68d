import type { StateContext, StateModule, StateReturn } from "../../model/loader/states.ts";
import { outcome, stateFunction, stateFunctions } from "../../model/loader/states.ts";
import { type Args, entriesOf, isMap, lookup, str, truthy } from "../../language/python/values.ts";
import { isFile } from "../linux/paths.ts";
import { takeError } from "../modules/mysql/client.ts";
import { withOsErrors } from "../python_errors.ts";

/** Where the result goes, for comments; with why nothing is to be done, or what is wrong. */
interface Target {
  text: string;
  done?: string;
  error?: string;
}

async function targetOf(context: StateContext, args: Args): Promise<Target> {
  const { output, grain, key, overwrite } = args;
  if (output === "grain") {
    if (grain === null) return { text: "", error: "Error: output type 'grain' needs the grain parameter\n" };
    const known = await context.call("grains.ls") as unknown[];
    const isThere = known.includes(grain);
    const name = key === null ? str(grain) : `${str(grain)}:${str(key)}`;
    const value = key === null || !isThere ? undefined : await context.call("grains.get", [grain]);
    const isSet = key === null ? isThere : isMap(value) && lookup(value, key) !== undefined;
    const done = !truthy(overwrite) && isSet ? { done: `No execution needed. Grain ${name} already set` } : {};
    return { text: `grain: ${name}`, ...done };
  }
  if (output === null) return { text: "" };
  const isThere = !truthy(overwrite) && isFile(context.runtime.fs, str(output));
  return {
    text: `file: ${str(output)}`,
    ...(isThere ? { done: `No execution needed. File ${str(output)} already set` } : {}),
  };
}

/** Rows as maps of their columns. */
function mapped(result: Args): Args {
  const { results, columns } = result;
  if (!Array.isArray(results) || !Array.isArray(columns)) return result;
  const rows = results.map((row) =>
    Object.fromEntries(columns.map((column, at) => [str(column), Array.isArray(row) ? row[at] : null]))
  );
  return { ...result, results: rows };
}

async function store(context: StateContext, args: Args, result: unknown): Promise<string> {
  const { output, grain, key } = args;
  if (output === "grain") {
    if (key === null) {
      await context.call("grains.setval", [grain, result]);
      return `Executed. Output into grain: ${str(grain)}`;
    }
    const before = await context.call("grains.get", [grain, {}]);
    const value = { ...(isMap(before) ? Object.fromEntries(entriesOf(before)) : {}), [str(key)]: result };
    await context.call("grains.setval", [grain, value]);
    return `Executed. Output into grain: ${str(grain)}:${str(key)}`;
  }
  if (output === null) return "Executed";
  const map = isMap(result) ? result : {};
  const rows = lookup(map, "results");
  const entries = Array.isArray(rows) ? rows.flatMap((row) => isMap(row) ? entriesOf(row) : []) : entriesOf(map);
  const text = entries.map(([name, value]) => `${str(name)}:${str(value)}\n`).join("");
  const path = str(output);
  withOsErrors(path, () => context.runtime.fs.write(path, text, { mode: 0o600 }));
  return `Executed. Output into ${path}`;
}

/** What both states do, around how the statements run. */
async function execute(
  context: StateContext,
  args: Args,
  missing: unknown,
  ask: (connection: Args) => Promise<unknown>,
): Promise<StateReturn> {
  const { name, database, check_db_exists, client_flags } = args;
  if (client_flags !== null && !Array.isArray(client_flags)) {
    return outcome(name, false, "Error: client_flags must be a list.");
  }
  const connection = { ...args.connection_args as Args, client_flags: client_flags ?? [] };
  takeError(context);
  if (truthy(check_db_exists) && !truthy(await context.call("mysql.db_exists", [database], connection))) {
    const error = takeError(context);
    return error === undefined
      ? outcome(name, null, `Database ${str(missing)} is not present`)
      : outcome(name, false, error);
  }
  const target = await targetOf(context, args);
  if (target.error !== undefined) return outcome(name, false, target.error);
  if (target.done !== undefined) return outcome(name, true, target.done);
  if (context.test) {
    const where = target.text === "" ? "not storing result" : `storing result in ${target.text}`;
    return outcome(name, null, `Query would execute, ${where}`);
  }
  const found = await ask(connection);
  if (found === false) {
    return outcome(name, false, takeError(context) ?? `Database ${str(database)} is already present`);
  }
  const result = isMap(found) ? mapped(Object.fromEntries(entriesOf(found)) as Args) : found;
  return outcome(name, true, str(result), { query: await store(context, args, result) });
}

const REST = "check_db_exists=True, client_flags=None, **connection_args";

/** Statements of MySQL and MariaDB. */
export const states: StateModule = {
  functions: stateFunctions({
    [`run(name, database, query, output=None, grain=None, key=None, overwrite=True, ${REST})` as const]: {
      doc: "Runs a statement; its result goes to a grain or a file if one is named.",
      async run(context, args) {
        return await execute(
          context,
          args,
          args.name,
          (connection) => context.call("mysql.query", [args.database, args.query], connection),
        );
      },
    },
    run_file: stateFunction({
      signature: `name, database, query_file=None, output=None, grain=None, key=None, overwrite=True, saltenv=None,
        ${REST}`,
      doc: "Runs the statements of a file; the result goes to a grain or a file if one is named.",
      async run(context, args) {
        const { name, query_file, saltenv } = args;
        let path = str(query_file ?? "");
        if (/^(?:https?|salt|s3|swift):\/\//.test(path)) {
          path = str(await context.call("cp.cache_file", [path], { saltenv: saltenv ?? context.saltenv }));
        }
        if (!isFile(context.runtime.fs, path)) return outcome(name, false, `File ${path} does not exist`);
        return await execute(
          context,
          args,
          args.database,
          (connection) => context.call("mysql.file_query", [args.database, path], connection),
        );
      },
    }),
  }),
};
