import { isRecord } from "../base/record.ts";

/**
 * Whether an account may call a runner or a wheel function, as far as its session tells. The master decides all the same: this
 * is for what is offered.
 *
 * @param perms the session's entries of `external_auth`
 * @returns undefined if the session does not tell
 */
export function permits(perms: readonly unknown[], kind: "runner" | "wheel", fun: string): boolean | undefined {
  if (perms.length === 0) return undefined;
  const [module = "", name = ""] = fun.split(".");
  return perms.some((entry) => {
    if (typeof entry === "string") return entry === `@${module}` || isKind(entry, kind);
    if (!isRecord(entry)) return false;
    return Object.entries(entry).some(([scope, functions]) =>
      isKind(scope, kind) ? allows(functions, fun) : scope === `@${module}` && allows(functions, name)
    );
  });
}

const isKind = (scope: string, kind: string) => scope === `@${kind}` || scope === `@${kind}s`;

/** Whether one of the functions of an entry is this one; arguments that it asks for are for the master to look at. */
function allows(functions: unknown, fun: string): boolean {
  const listed = Array.isArray(functions) ? functions : [functions];
  return listed.flatMap((one) => isRecord(one) ? Object.keys(one) : [String(one)]).some((pattern) => {
    try {
      return new RegExp(`^(?:${pattern})$`).test(fun);
    } catch {
      // Python's expressions have what ours do not.
      return true;
    }
  });
}
