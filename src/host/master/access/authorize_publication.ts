import { asksPillar, exactTarget, guessesPillar } from "../../../model/target/exact.ts";
import { delimiterOf, type Target } from "../../../model/target/target.ts";
import { isExpression, matchExpression } from "../../../model/target/expression.ts";
import { isRecord, type Load } from "../load.ts";
import type { AccessServices } from "./access_services.ts";
import type { AclCall, TargetScope } from "./acl.ts";
import { type Caller, proofOf } from "./callers.ts";
import { type Carried, carriedBy } from "./carried.ts";
import { loadText, publishFault } from "./publish_load.ts";
import { splitArguments } from "../../../model/job/args.ts";

/** Returns the functions of a load with their arguments, bound as minions bind them: permissions are checked against these alone. */
export function callsOf({ fun, arg }: Load): AclCall[] {
  const parts = Array.isArray(arg) ? arg : [];
  const several = Array.isArray(fun);
  return [fun].flat().map((name, at) => {
    const given: unknown = several ? parts[at] : parts;
    const { positional, named } = splitArguments(Array.isArray(given) ? given : []);
    const kwargs = Object.fromEntries(named.filter(([name]) => typeof name === "string"));
    return { fun: String(name), args: positional, kwargs };
  });
}

const AUTHENTICATION_ERROR = { error: { name: "AuthenticationError", message: "Authentication error occurred." } };
const AUTHORIZATION_ERROR = { error: { name: "AuthorizationError", message: "Authorization error occurred." } };

/** A publication that is permitted: its caller and its targets. */
interface AuthorizedPublication {
  who: Caller;
  carried: Carried;
  functions: string[];
  target: Target;
  tgt_type: string;
  minions: readonly string[];
  missing: readonly string[];
  /** True if the caller may run the job also on minions below a syndic, which this master does not know. */
  below: boolean;
}

/**
 * Authenticates the caller of a publication and checks what it may do, by the blacklist and its permissions. Previews use it
 * as well, so that they reveal no more than publishing would.
 *
 * @throws {TypeError} if the load names no user
 */
export async function authorizePublication(
  services: AccessServices,
  load: Load,
): Promise<AuthorizedPublication | { refusal: unknown }> {
  const { log } = services;
  // Salt checks the user before anything else, and its clients know the answer to this error.
  if (load.user === undefined) throw new TypeError("Cannot publish: the load names no user");
  const wrong = publishFault(load);
  const kwargs = isRecord(load.kwargs) ? load.kwargs : {};
  const user = loadText(load.user);
  const functions = [load.fun].flat().map(String);

  if (wrong === undefined && blacklisted(services, [user], functions)) {
    log.error("publication refused: blacklisted", { user, fun: functions });
    return { refusal: AUTHORIZATION_ERROR };
  }
  const { callers } = services;
  const who = proofOf(kwargs) === "user" ? callers.byKey(load.user, load.key) : await callers.identify(kwargs);
  if (who === undefined) {
    log.warning("publication refused: caller not authenticated", { user, by: proofOf(kwargs) });
    services.refusals.unproven(AUTHENTICATION_ERROR);
    return { refusal: AUTHENTICATION_ERROR };
  }
  if (wrong !== undefined) {
    log.warning("publication refused: malformed", { user, reason: wrong });
    return { refusal: { enc: "clear", load: { error: `Cannot publish: ${wrong}` } } };
  }

  const tgt_type = typeof load.tgt_type === "string" ? load.tgt_type : "glob";
  const target = { tgt: load.tgt, tgt_type, ...delimiterOf(tgt_type, kwargs) };
  const refused = (field?: string) => {
    const carries = field === undefined ? {} : { carries: field, remedy: "@publish in docs/permissions.md" };
    log.warning("publication refused: not permitted", { user: who.user, fun: functions, tgt: load.tgt, ...carries });
    if ("jid" in load) services.refusals.notPermitted(who.user, load, AUTHORIZATION_ERROR);
    return { refusal: AUTHORIZATION_ERROR };
  };
  // These checks come before the target is expanded: expanding takes longer, and its result would reveal which minions a pattern finds.
  if (blacklisted(services, [who.user], []) || !mightBePermitted(services, who, load, target)) return refused();
  const carried = await carriedBy(services, who, load, kwargs);
  if ("denied" in carried) return refused(carried.denied);
  const { minions, missing, error } = services.expand(target);
  if (error !== undefined) {
    log.warning("publication refused: target cannot be expanded", { user: who.user, reason: error });
    return { refusal: { enc: "clear", load: { error: `Cannot publish: ${error}` } } };
  }
  if (!permitted(services, who, load, target, minions)) return refused();
  return { who, carried, functions, target, tgt_type, minions, missing, below: permittedBelow(services, who, load) };
}

/** True if a caller may run these functions on any minion: whether those below a syndic are within a rule cannot be told here. */
function permittedBelow({ rules }: AccessServices, { permissions }: Caller, load: Load): boolean {
  if (permissions === undefined) return true;
  const any = "*";
  return rules.mayPublish(permissions, callsOf(load), {
    minions: [any],
    expand: (rule) => rule === "*" ? [any] : [],
  });
}

/** True if `publisher_acl_blacklist` names one of these users or functions. */
export function blacklisted(
  { opts, log }: AccessServices,
  users: readonly string[],
  functions: readonly string[],
): boolean {
  const blacklist = opts.publisher_acl_blacklist as { users?: unknown; modules?: unknown };
  const hits = (rules: unknown, texts: readonly string[]) => {
    if (rules === undefined || rules === null) return false;
    const listed = Array.isArray(rules) ? rules : [rules];
    return listed.some((rule) => {
      if (typeof rule === "string" && isExpression(rule)) return texts.some((text) => matchExpression(text, rule));
      log.error("pattern in publisher_acl_blacklist does not compile", { pattern: rule });
      // A blacklist rule that does not compile must not let through what it was written to stop.
      return true;
    });
  };
  return hits(blacklist.users, users) || hits(blacklist.modules, functions);
}

/** False if a caller may run these functions on no minion, or uses patterns on pillar. */
function mightBePermitted({ rules }: AccessServices, { permissions }: Caller, load: Load, target: Target): boolean {
  return permissions === undefined || rules.mightPublish(permissions, callsOf(load)) && !guessesPillar(target);
}

/** Returns the minions that a job is for. A minion whose grains the master does not have is within no rule that matches grains. */
export function scopeOf(services: AccessServices, minions: readonly string[]): TargetScope {
  return {
    minions,
    expand: (rule) => services.expand({ tgt: rule, tgt_type: "compound" }, { greedy: false }).minions,
  };
}

/** True if a caller may run these functions on these minions. */
function permitted(
  services: AccessServices,
  { permissions }: Caller,
  load: Load,
  target: Target,
  minions: readonly string[],
): boolean {
  if (permissions === undefined) return true;
  const { rules, opts } = services;
  if (asksPillar(target, opts.nodegroups)) {
    const plain = new Set(services.expand(exactTarget(target, opts.nodegroups)).minions);
    if (minions.some((id) => !plain.has(id))) return false;
  }
  const scope = scopeOf(services, minions);
  const calls = callsOf(load);
  return opts["auth.enable_expanded_auth_matching"] === true
    ? rules.mayPublishExpanded(permissions, calls, scope)
    : rules.mayPublish(permissions, calls, scope);
}
