import type { MissingFunction } from "../../../model/loader/function_catalog.ts";
import { requiredNames } from "../../../model/loader/signature.ts";
import type { LoadedState } from "../../../model/loader/state_table.ts";
import type { LowChunk } from "../../../model/loader/states.ts";
import { entriesOf, isMap, repr, str, truthy, typeName } from "../../../language/python/values.ts";
import { compileGlob } from "../../../language/python/glob.ts";
import { functionOf } from "./chunk.ts";

const NEEDED = ["state", "fun", "name"];

/** The errors of a chunk, in Salt's words; empty if the chunk can be run. @param found the chunk's function */
export function verifyChunk(low: LowChunk, found: LoadedState | MissingFunction): string[] {
  const errors = wrongShape(low);
  if (Number.isNaN(umaskOf(low))) errors.push(`Invalid umask: ${str(low.umask)}`);
  if (errors.length > 0) return errors;
  if ("message" in found) errors.push(...missingFunction(low, found.message));
  else {
    for (const name of requiredNames(found.signature)) {
      if (!Object.hasOwn(low, name)) errors.push(`Missing parameter ${name} for state ${functionOf(low)}`);
    }
  }
  errors.push(...recursion(low));
  return errors;
}

function wrongShape(low: LowChunk): string[] {
  const { name, __sls__ } = low;
  const errors: string[] = [];
  for (const key of NEEDED) if (!(key in low)) errors.push(`Missing "${key}" data`);
  if (truthy(name ?? null) && typeof name !== "string") {
    const where = __sls__ === undefined ? "" : `in SLS '${str(__sls__)}' `;
    errors.push(`ID '${str(name)}' ${where}is not formed as a string, but is a ${typeName(name)}`);
  }
  return errors;
}

/**
 * The umask of a chunk as a number, from octal digits in a text or number. Undefined if the chunk has none; NaN for an invalid
 * one.
 */
export function umaskOf({ umask }: LowChunk): number | undefined {
  if (umask === undefined) return undefined;
  const digits = str(umask).trim().replace(/^0[oO]/, "");
  return /^[0-7]{1,6}$/.test(digits) ? parseInt(digits, 8) : NaN;
}

function missingFunction(low: LowChunk, reason: string): string[] {
  const full = functionOf(low);
  if (low.__sls__ === undefined) return [`Specified state '${full}' was not found`];
  return [`State '${full}' was not found in SLS '${str(low.__sls__)}'`, `Reason: ${reason}`];
}

/** The error for a chunk that requires itself. */
function recursion(low: LowChunk): string[] {
  const { name, state, __id__, __sls__ } = low;
  const declared = low.watch ?? low.require;
  if (!Array.isArray(declared)) return [];
  return declared.filter((requisite) => {
    const [first] = isMap(requisite) ? entriesOf(requisite) : [];
    if (first === undefined || first[0] !== state || typeof first[1] !== "string") return false;
    const matches = compileGlob(first[1]);
    return matches(str(name)) || matches(str(__id__));
  }).map((requisite) =>
    `Recursive require detected in SLS ${str(__sls__)} for require ${repr(requisite)} in ID ${str(__id__)}`
  );
}
