import {
  asksPillar,
  exactTarget,
  guessesPillar,
  isExpression,
  matchExpression,
  type Target,
} from "../../target/mod.ts";
import { isRecord, type Load, type MasterServices } from "../services.ts";
import type { Call } from "./acl.ts";
import { type Caller, proofOf } from "./callers.ts";
import { publishFault, textOf } from "./publish_load.ts";

const AUTHENTICATION_ERROR = { error: { name: "AuthenticationError", message: "Authentication error occurred." } };
const AUTHORIZATION_ERROR = { error: { name: "AuthorizationError", message: "Authorization error occurred." } };

/** A publication that is permitted: its caller and its targets. */
export interface AuthorizedPublication {
  who: Caller;
  kwargs: Record<string, unknown>;
  functions: string[];
  tgt_type: string;
  minions: readonly string[];
  missing: readonly string[];
  /** True if the caller may do this on minions below a syndic as well, which this master does not know. */
  below: boolean;
}

/**
 * Authenticates the caller of a publication and checks what it may do, by the blacklist and its permissions. Previews use it
 * as well, so that they reveal no more than publishing would.
 *
 * @throws {TypeError} if the load names no user
 */
export async function authorizePublication(
  services: MasterServices,
  load: Load,
): Promise<AuthorizedPublication | { refusal: unknown }> {
  const { log } = services;
  // Salt fails with this before it checks anything else, and its clients know that answer.
  if (load.user === undefined) throw new TypeError("Cannot publish: the load names no user");
  const wrong = publishFault(load);
  const kwargs = isRecord(load.kwargs) ? load.kwargs : {};
  const user = textOf(load.user);
  const functions = [load.fun].flat().map(String);

  if (wrong === undefined && blacklisted(services, [user], functions)) {
    log.error("publication refused: blacklisted", { user, fun: functions });
    return { refusal: AUTHORIZATION_ERROR };
  }
  const { callers } = services;
  const who = proofOf(kwargs) === "user" ? callers.byKey(load.user, load.key) : await callers.identify(kwargs);
  if (who === undefined) {
    log.warning("publication refused: caller not authenticated", { user, by: proofOf(kwargs) });
    // The caller is unknown: malformed text in place of the jid would change the tag.
    if (wrong === undefined) announceRefusal(services, load, AUTHENTICATION_ERROR);
    return { refusal: AUTHENTICATION_ERROR };
  }
  if (wrong !== undefined) {
    log.warning("publication refused: malformed", { user, reason: wrong });
    return { refusal: { enc: "clear", load: { error: `Cannot publish: ${wrong}` } } };
  }

  const tgt_type = typeof load.tgt_type === "string" ? load.tgt_type : "glob";
  const delimiter = typeof kwargs.delimiter === "string" ? kwargs.delimiter : ":";
  const target = { tgt: load.tgt, tgt_type, delimiter };
  const refused = () => {
    log.warning("publication refused: not permitted", { user: who.user, fun: functions, tgt: load.tgt });
    announceRefusal(services, load, AUTHORIZATION_ERROR);
    return { refusal: AUTHORIZATION_ERROR };
  };
  // Before the target is expanded: that takes longer, and its result would reveal what a pattern finds.
  if (blacklisted(services, [who.user], []) || !mightBePermitted(services, who, load, target)) return refused();
  const { minions, missing, error } = services.expand(target);
  if (error !== undefined) {
    log.warning("publication refused: target cannot be expanded", { user: who.user, reason: error });
    return { refusal: { enc: "clear", load: { error: `Cannot publish: ${error}` } } };
  }
  if (!permitted(services, who, load, target, minions)) return refused();
  return { who, kwargs, functions, tgt_type, minions, missing, below: permittedBelow(services, who, load) };
}

/** True if a caller may run these functions on any minion: whether those below a syndic are within a rule cannot be told here. */
function permittedBelow({ rules }: MasterServices, { permissions }: Caller, load: Load): boolean {
  if (permissions === undefined) return true;
  const any = "*";
  return rules.mayPublish(permissions, callsOf(load), {
    minions: [any],
    expand: (rule) => rule === "*" ? [any] : [],
  });
}

/** True if `publisher_acl_blacklist` names one of these users or functions. */
function blacklisted({ opts, log }: MasterServices, users: readonly string[], functions: readonly string[]): boolean {
  const blacklist = opts.publisher_acl_blacklist as { users?: unknown; modules?: unknown };
  const hits = (rules: unknown, texts: readonly string[]) => {
    if (rules === undefined || rules === null) return false;
    const listed = Array.isArray(rules) ? rules : [rules];
    return listed.some((rule) => {
      if (typeof rule === "string" && isExpression(rule)) return texts.some((text) => matchExpression(text, rule));
      log.error("pattern in publisher_acl_blacklist does not compile", { pattern: rule });
      // A rule that cannot be read must not let through what it was written to stop.
      return true;
    });
  };
  return hits(blacklist.users, users) || hits(blacklist.modules, functions);
}

/** The functions of a load with their arguments, as permissions look at them. */
function callsOf({ fun, arg }: Load): Call[] {
  const parts = Array.isArray(arg) ? arg : [];
  const several = Array.isArray(fun);
  return [fun].flat().map((name, at) => {
    const given: unknown = several ? parts[at] : parts;
    const args = Array.isArray(given) ? given : given === undefined ? [] : [given];
    const last: unknown = args.at(-1);
    if (!isRecord(last) || last.__kwarg__ !== true) return { fun: String(name), args, kwargs: {} };
    const { __kwarg__: _, ...kwargs } = last;
    return { fun: String(name), args: args.slice(0, -1), kwargs };
  });
}

/** False if a caller may run these functions on no minion, or uses patterns on pillar. */
function mightBePermitted({ rules }: MasterServices, { permissions }: Caller, load: Load, target: Target): boolean {
  return permissions === undefined || rules.mightPublish(permissions, callsOf(load)) && !guessesPillar(target);
}

/** True if a caller may run these functions on these minions. */
function permitted(
  services: MasterServices,
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
  const scope = {
    minions,
    // Only minions known to match: one whose grains the master does not have is within no rule.
    expand: (rule: string) => services.expand({ tgt: rule, tgt_type: "compound" }, { greedy: false }).minions,
  };
  const calls = callsOf(load);
  return opts["auth.enable_expanded_auth_matching"] === true
    ? rules.mayPublishExpanded(permissions, calls, scope)
    : rules.mayPublish(permissions, calls, scope);
}

/** Fires the event of a refused publication, without its credentials and without text that would change the tag. */
function announceRefusal({ bus }: MasterServices, load: Load, error: Record<string, unknown>): void {
  if (!("jid" in load)) return;
  const { cmd, tgt, fun, arg, tgt_type, ret, user } = load;
  const jid = textOf(load.jid);
  bus.fire(`salt/job/${jid}/error`, { cmd, tgt, fun, arg, tgt_type, ret, jid, user, ...error });
}
