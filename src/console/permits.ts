import { isRecord } from "../base/record.ts";

/** A function of the master. */
type MasterFunction = readonly ["runner" | "wheel", string];

/** What a page needs at least one of; others work without a permission of the master's own. */
const NEEDS: Readonly<Record<string, readonly MasterFunction[]>> = {
  jobs: [["runner", "jobs.list_jobs"]],
  keys: [["wheel", "key.list_all"]],
  automation: [["runner", "reactor.list"], ["runner", "engines.status"]],
  access: [["runner", "audit.list"], ["runner", "auth.signed_in"]],
};

/**
 * Whether a page is offered to an account: not if the session says that it may use nothing of it.
 *
 * @param perms the session's entries of `external_auth`
 */
export function offersPage(perms: readonly unknown[], page: string): boolean {
  if (perms.length === 0) return true;
  if (page === "run") return mayRunAnything(perms);
  if (page === "automation" && mayPublish(perms)) return true;
  const needs = Object.hasOwn(NEEDS, page) ? NEEDS[page]! : [];
  return needs.length === 0 || needs.some(([kind, fun]) => permits(perms, kind, fun) !== false);
}

const scopesOf = (perms: readonly unknown[]): string[] =>
  perms.flatMap((entry) => typeof entry === "string" ? [entry] : isRecord(entry) ? Object.keys(entry) : []);

/** True if it may run something on a minion, as far as the session tells. */
const mayPublish = (perms: readonly unknown[]): boolean => scopesOf(perms).some((scope) => !scope.startsWith("@"));

/** The same, or a function of the master. */
const mayRunAnything = (perms: readonly unknown[]): boolean =>
  mayPublish(perms) || scopesOf(perms).some((scope) => /^@(?!jobs$|publish$)/.test(scope));

/** What an account needs to call a function, for an administrator: the words of `external_auth`. */
export function neededText(client: string, fun: string): string {
  if (client === "runner" || client === "wheel") return `"@${client}": [${fun}]`;
  return `${fun} on these minions`;
}

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
