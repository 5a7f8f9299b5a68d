/** Checks the functions that `schedule` and `mine_functions` name. */
import type { Host } from "../../../src/model/config/review.ts";
import { nearestName } from "../../../src/base/nearest_name.ts";
import { customFilesOf } from "../../../src/model/loader/custom_file.ts";
import { createLogger } from "../../../src/base/log.ts";
import { entriesOf, isMap, str } from "../../../src/language/python/values.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { doubtful, type Finding } from "./finding.ts";
import { scheduleEntries } from "./named_by_options.ts";

interface Named {
  option: string;
  fun: string;
}

/** Returns the functions in a module, by the module's name. Only files of that name are loaded. */
type FunctionsOf = (module: string) => Promise<readonly string[] | undefined>;

async function functionsOf(host: Host): Promise<{ modules: readonly string[]; of: FunctionsOf }> {
  if (host === "master") {
    const { RUNNERS } = await import("../../../src/plugins/runners/mod.ts");
    const of: FunctionsOf = async (module) =>
      Object.hasOwn(RUNNERS, module) ? Object.keys((await RUNNERS[module]!()).runner.functions) : undefined;
    return { modules: Object.keys(RUNNERS), of };
  }
  const { moduleName, MODULES } = await import("../../../src/plugins/modules/mod.ts");
  const of: FunctionsOf = async (module) => {
    const files = Object.keys(MODULES).filter((file) => file === module || moduleName(file) === module);
    if (files.length === 0) return undefined;
    const loaded = await Promise.all(files.map((file) => MODULES[file]!()));
    return loaded.flatMap((one) => Object.keys(one.module.functions));
  };
  return { modules: Object.keys(MODULES).map(moduleName), of };
}

/** Finds a module with a similar name that has the function: for `tst.ping` the module test, for `foo.bar` nothing. */
async function nearestModule(
  module: string,
  name: string,
  modules: readonly string[],
  of: FunctionsOf,
): Promise<string | undefined> {
  const near = nearestName(module, modules, { letters: module.length > 4 ? 2 : 1 });
  return near !== undefined && (await of(near))?.includes(name) ? near : undefined;
}

const keysOf = (value: unknown): [string, unknown][] =>
  isMap(value)
    ? entriesOf(value).map(([key, item]) => [str(key), item])
    : Array.isArray(value)
    ? value.map((name) => [str(name), undefined])
    : [];

/** The function that an entry of `mine_functions` calls: its `mine_function`, or else its name. */
function mineFunction([name, definition]: [string, unknown]): string {
  const items = isMap(definition) ? [definition] : Array.isArray(definition) ? definition.filter(isMap) : [];
  const other = items.flatMap((item) => entriesOf(item)).find(([key]) => key === "mine_function")?.[1];
  return typeof other === "string" && other !== "" ? other : name;
}

function namedFunctions(host: Host, opts: Record<string, unknown>): Named[] {
  const scheduled = scheduleEntries(opts.schedule).flatMap(([name, entry]) => {
    const fun = entry.function ?? entry.func ?? entry.fun;
    return [fun].flat().filter((one) => typeof one === "string").map((one) => ({
      option: `schedule: ${name}`,
      fun: String(one),
    }));
  });
  const mine = host === "master" ? [] : keysOf(opts.mine_functions).map(mineFunction);
  return [...scheduled, ...mine.map((fun) => ({ option: "mine_functions", fun }))];
}

/** Finds functions that do not exist. Functions of custom modules are not checked. */
export async function checkFunctions(host: Host, opts: Record<string, unknown>, runtime: Runtime): Promise<Finding[]> {
  const named = namedFunctions(host, opts);
  if (named.length === 0) return [];
  const kind = host === "master" ? "runners" : "modules";
  const { usable } = customFilesOf({ runtime, opts, log: createLogger(() => {}, "quiet") }, kind);
  const { modules, of } = await functionsOf(host);
  const findings: Finding[] = [];
  for (const { option, fun } of named) {
    const [module = "", name = ""] = fun.split(".");
    if (usable.some((file) => file.name === module || runtime.fs.readText(file.path).includes(module))) continue;
    const functions = await of(module);
    if (functions?.includes(name)) continue;
    const near = functions === undefined
      ? await nearestModule(module, name, modules, of)
      : nearestName(name, functions, { letters: name.length > 4 ? 2 : 1 });
    const meant = near === undefined
      ? ""
      : `did you mean ${functions === undefined ? `${near}.${name}` : `${module}.${near}`}? `;
    const [what, program] = host === "master" ? ["runner", "salt-run"] : ["function", "salt-call"];
    findings.push(
      doubtful(
        `${option}: Brine has no ${what} "${fun}": each call fails`,
        `${meant}For a custom module, put it into _${kind} of file_roots and sync it: ${program} saltutil.sync_${kind}`,
      ),
    );
  }
  return findings;
}
