/** Checks permissions, node groups and peers of a master: patterns must be able to match, and names must exist. */
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";
import { CARRIED_FIELDS } from "../../../src/model/job/function_name.ts";
import { nearestName } from "../../../src/base/nearest_name.ts";
import { compilePattern } from "../../../src/language/python/regexp.ts";
import { isRecord } from "../../../src/base/record.ts";
import { expandNodegroup } from "../../../src/model/target/nodegroup.ts";
import { isExpression } from "../../../src/model/target/expression.ts";
import { targetMistake } from "../../../src/model/target/mistake.ts";
import { doubtful, type Finding, wrong } from "./finding.ts";

/** The reason why a pattern does not compile; undefined if it does. */
function mistakeOf(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Checks the fields of publications in `@publish`. */
function checkFields(where: string, named: unknown): Finding[] {
  return [named].flat().flatMap((one) => isRecord(one) ? Object.keys(one) : [String(one)]).flatMap((name) => {
    if (CARRIED_FIELDS.some((field) => field === name)) return [];
    const near = nearestName(name, CARRIED_FIELDS);
    const remedy = near === undefined ? `use one of ${CARRIED_FIELDS.join(", ")}` : `did you mean ${near}?`;
    return [wrong(`${where}: @publish: publications have no field "${name}"`, remedy)];
  });
}

/** Reports patterns of functions that match nothing, anywhere in grants. */
function checkGrants(where: string, grants: unknown): Finding[] {
  if (Array.isArray(grants)) return grants.flatMap((grant) => checkGrants(where, grant));
  if (typeof grants === "string") {
    const mistake = grants.startsWith("@") ? undefined : mistakeOf(grants);
    return mistake === undefined
      ? []
      : [wrong(`${where}: the pattern ${JSON.stringify(grants)} matches nothing: ${mistake}`)];
  }
  if (!isRecord(grants)) return [];
  if (Object.keys(grants).length > 1) {
    return [
      wrong(
        `${where}: a map with several entries grants nothing`,
        "write each entry as a separate list item, with a dash",
      ),
    ];
  }
  return Object.entries(grants).flatMap(([target, inner]) => {
    if (target === "@publish") return checkFields(where, inner);
    const mistake = target.startsWith("@") ? undefined : targetMistake(target, "compound");
    const own = mistake === undefined ? [] : [wrong(`${where}: the target ${JSON.stringify(target)}: ${mistake}`)];
    return [...own, ...Array.isArray(inner) || typeof inner === "string" ? checkGrants(where, inner) : []];
  });
}

/** Checks a table of regular expression → functions, such as `peer`. */
function checkTable(option: string, table: Record<string, unknown>): Finding[] {
  return Object.entries(table).flatMap(([who, functions]) => {
    const mistake = mistakeOf(who);
    const own = mistake === undefined ? [] : [wrong(`${option}: the pattern ${JSON.stringify(who)}: ${mistake}`)];
    return [...own, ...checkGrants(`${option}: ${who}`, functions)];
  });
}

function checkExternalAuth(external: Record<string, unknown>): Finding[] {
  return Object.entries(external).flatMap(([name, section]) =>
    Object.entries(isRecord(section) ? section : {}).flatMap(([user, grants]) =>
      user.startsWith("^") ? [] : checkGrants(`external_auth: ${name}: ${user}`, grants)
    )
  );
}

function checkNodegroups(nodegroups: Record<string, unknown>): Finding[] {
  return Object.keys(nodegroups).flatMap((name) => {
    const words = expandNodegroup(name, nodegroups);
    const where = `nodegroups: ${name}`;
    if (words.length === 0) {
      return [wrong(`${where} means nothing`, "it is empty, contains itself, or names a group that does not exist")];
    }
    const mistake = targetMistake(words, "compound");
    return mistake === undefined ? [] : [wrong(`${where}: ${mistake}`)];
  });
}

/** Reports entries of a master's permissions that have no effect, or not the intended one. */
export function checkPermissions(opts: MasterOpts): Finding[] {
  const blacklist = Object.entries(opts.publisher_acl_blacklist).flatMap(([part, patterns]) =>
    [patterns].flat().filter((pattern) => typeof pattern !== "string" || !isExpression(pattern)).map((pattern) =>
      wrong(
        `publisher_acl_blacklist: ${part}: ${JSON.stringify(pattern)} is not a valid pattern, so everything is refused`,
      )
    )
  );
  const open = opts.open_mode
    ? [
      doubtful(
        "open_mode is on: every key is accepted, even a changed one",
        "set open_mode: False, except in tests",
      ),
    ]
    : opts.auto_accept
    ? [doubtful("auto_accept is on: every new key is accepted", "remove it, and use autosign_file or salt-key -a")]
    : [];
  return [
    ...Object.entries(opts.publisher_acl).flatMap(([user, grants]) => checkGrants(`publisher_acl: ${user}`, grants)),
    ...blacklist,
    ...checkExternalAuth(opts.external_auth),
    ...checkTable("peer", opts.peer),
    ...checkTable("peer_run", opts.peer_run),
    ...checkNodegroups(opts.nodegroups),
    ...open,
  ];
}
