/** Which installed versions fulfil what a state asks for. */
import { hasFunction, type StateContext } from "../../../model/loader/states.ts";
import { compileGlob } from "../../../language/python/glob.ts";
import { truthy } from "../../../language/python/values.ts";
import { compareVersions, hostCompare, splitComparison } from "../../packages/versions.ts";

interface Condition {
  operator: string;
  version: string;
}

/** The conditions of `>=1.2,<2`. */
export function conditionsOf(text: string): Condition[] {
  if (text.trim() === "") return [];
  return text.trim().split(",").map((part) => {
    const [operator, version] = splitComparison(part.trim());
    return { operator: operator === "" || operator === "=" ? "==" : operator, version };
  });
}

/** The epoch counts if a version has one, or if an order is asked for. */
function ignoresEpoch({ operator, version }: Condition, ignoreEpoch: unknown): boolean {
  if (ignoreEpoch !== null && ignoreEpoch !== undefined) return truthy(ignoreEpoch);
  return !operator.includes("<") && !operator.includes(">") && !version.includes(":");
}

interface FulfilOptions {
  ignoreEpoch?: unknown;
  /** A newer version does as well as the one that is named. */
  allowUpdates?: boolean;
}

/** True if one of the installed versions fulfils all conditions. */
export async function fulfilsVersion(
  context: StateContext,
  installed: readonly string[],
  text: string,
  { ignoreEpoch, allowUpdates = false }: FulfilOptions = {},
): Promise<boolean> {
  const conditions = conditionsOf(text);
  const compare = await hostCompare(context);
  const holds = async (one: string, { operator, version }: Condition): Promise<boolean> => {
    const meant = allowUpdates && conditions.length === 1 && operator === "==" ? ">=" : operator;
    if (meant === "==" && compileGlob(version)(one)) return true;
    return await compareVersions(
      compare,
      one,
      meant,
      version,
      ignoresEpoch({ operator: meant, version }, ignoreEpoch),
    );
  };
  for (const one of installed) {
    let all = true;
    for (const condition of conditions) all = all && await holds(one, condition);
    if (all) return true;
  }
  return false;
}

/** A version without what this host's package manager writes beside it; null if it names none. */
export async function versionClean(context: StateContext, version: string | null): Promise<string | null> {
  if (!truthy(version) || !await hasFunction(context, "pkg.version_clean")) return version;
  return await context.call("pkg.version_clean", [version]) as string | null;
}

/** What must hold beside the version, such as the use flags of a package; true where there is no such thing. */
export async function extraRequirements(
  context: StateContext,
  name: string,
  version: string | null,
): Promise<boolean> {
  if (!truthy(version) || !await hasFunction(context, "pkg.check_extra_requirements")) return true;
  return truthy(await context.call("pkg.check_extra_requirements", [name, version]));
}

/** A package with its version as comments name it: `a`, `a=1`, `a>=1`. */
export function written(name: string, version: string | null | undefined): string {
  if (!version) return name;
  return /^[<>=]/.test(version) ? `${name}${version}` : `${name}=${version}`;
}
