import { isRecord } from "../base/record.ts";

type MasterFunction = readonly ["runner" | "wheel", string];

/** The master functions of a page, of which the account needs at least one; other pages need none. */
const NEEDS: Readonly<Record<string, readonly MasterFunction[]>> = {
  jobs: [["runner", "jobs.list_jobs"]],
  keys: [["wheel", "key.list_all"]],
  automation: [["runner", "reactor.list"], ["runner", "engines.status"]],
  access: [["runner", "audit.list"], ["runner", "auth.signed_in"]],
};

/**
 * True if a page is offered to an account: unless the session shows that the account may use nothing on the page.
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

/** True if the account may run something on a minion, according to the session. */
const mayPublish = (perms: readonly unknown[]): boolean => scopesOf(perms).some((scope) => !scope.startsWith("@"));

/** True if the account may run something on a minion, or a function of the master. */
const mayRunAnything = (perms: readonly unknown[]): boolean =>
  mayPublish(perms) || scopesOf(perms).some((scope) => /^@(?!jobs$|publish$)/.test(scope));

/** The entry of `external_auth` that an account needs to call a function, for an administrator. */
export function neededText(client: string, fun: string): string {
  if (client === "runner" || client === "wheel") return `"@${client}": [${fun}]`;
  return `${fun} on these minions`;
}

/**
 * True if an account may call a runner or a wheel function, according to its session. This only decides what is offered: the master
 * checks each call.
 *
 * @param perms the session's entries of `external_auth`
 * @returns undefined if the session does not show it
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

/** True if an entry allows a function; conditions on arguments are left to the master. */
function allows(functions: unknown, fun: string): boolean {
  const listed = Array.isArray(functions) ? functions : [functions];
  return listed.flatMap((one) => isRecord(one) ? Object.keys(one) : [String(one)]).some((pattern) => {
    try {
      return new RegExp(`^(?:${pattern})$`).test(fun);
    } catch {
      // JavaScript does not have all forms of Python's expressions: such an entry counts as allowed.
      return true;
    }
  });
}
