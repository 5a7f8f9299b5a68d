/** Checks modules that options name: Brine or a custom file must have them, and they must be usable on this host. */
import type { Host } from "../../../src/model/config/review.ts";
import { messageOf } from "../../../src/base/errors.ts";
import { nearestName, suggestion } from "../../../src/base/nearest_name.ts";
import { customFilesOf, foreignText } from "../../../src/model/loader/custom_file.ts";
import type { CustomKind } from "../../../src/model/loader/custom_files.ts";
import { lentFiles } from "../../../src/model/loader/lent_files.ts";
import { createLogger } from "../../../src/base/log.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { doubtful, fatal, type Finding, wrong } from "./finding.ts";
import { NAMED_BY_OPTIONS, type NamePlace, type NamingOption } from "./named_by_options.ts";

const FINDING = { warning: doubtful, error: wrong, stops: fatal };

/** True if a custom file provides the name, or may provide it; otherwise the reason why not. No custom code is run. */
function customModule(place: NamePlace, kind: CustomKind, name: string): true | string | undefined {
  const { usable, foreign } = customFilesOf(place, kind);
  if (usable.some((file) => file.name === name)) return true;
  // A file may give its module another name, which is then in its text.
  if (usable.some(({ path }) => place.runtime.fs.readText(path).includes(name))) return true;
  const other = foreign.find((file) => file.name === name);
  return other === undefined ? undefined : foreignText(other);
}

const another = (what: string) => `fix this, or name another ${what}`;

async function problemWith(
  by: NamingOption,
  name: string,
  place: NamePlace,
): Promise<{ problem: string; remedy: string } | undefined> {
  const { option, what, custom, effect } = by;
  const own = custom === undefined ? undefined : customModule(place, custom, name);
  if (own === true) return undefined;
  const known = await by.known(place);
  if (known.includes(name)) {
    const obstacle = await by.obstacle?.(name, place);
    if (obstacle === undefined) return undefined;
    return { problem: `${option}: the ${what} "${name}" cannot be used: ${obstacle}`, remedy: another(what) };
  }
  if (custom !== undefined && lentFiles(place, custom).some((file) => file.name === name)) return undefined;
  const problem = `${option}: Brine has no ${what} "${name}": ${effect}`;
  if (own !== undefined) return { problem, remedy: own };
  // A name similar to one of Brine's is probably mistyped; any other is probably one of Salt's.
  const isMistyped = nearestName(name, known, { letters: name.length > 5 ? 2 : 1 }) !== undefined;
  const advice = (isMistyped ? undefined : by.instead?.(name)) ?? suggestion(name, known);
  const synced = custom === undefined
    ? ""
    : custom === "auth"
    ? "; for a custom module, put it into the folder auth of a directory of module_dirs"
    : `; for a custom module, put it into _${custom} of file_roots and sync it: ${
      place.host === "master" ? "salt-run" : "salt-call"
    } saltutil.sync_${custom}`;
  return { problem, remedy: `${advice}${synced}` };
}

export async function checkNamedModules(
  host: Host,
  opts: Record<string, unknown>,
  runtime: Runtime,
): Promise<Finding[]> {
  const place: NamePlace = { host, opts, runtime, log: createLogger(() => {}, "quiet") };
  const findings: Finding[] = [];
  for (const by of NAMED_BY_OPTIONS.filter(({ hosts }) => hosts.includes(host))) {
    for (const name of new Set(by.names(opts))) {
      const found = await problemWith(by, name, place).catch((error) => ({
        problem: `${by.option}: the ${by.what} "${name}" cannot be used: ${messageOf(error)}`,
        remedy: another(by.what),
      }));
      if (found !== undefined) findings.push(FINDING[by.severity(place)](found.problem, found.remedy));
    }
  }
  return findings;
}
