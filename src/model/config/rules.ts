/** Rules for values of options, beyond their types, for the rows of the tables. */
import { LOG_LEVELS } from "../../base/log.ts";
import { isRecord } from "../../base/record.ts";

/** Returns what a value should have been; undefined for a value that can be used. */
export type Rule = (value: unknown) => string | undefined;

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
export const isTexts = (value: unknown) => isText(value) || Array.isArray(value) && value.every(isText);

export function oneOf(...names: string[]): Rule {
  const expected = names.length === 1 ? names[0]! : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
  return (value) => names.includes(String(value)) ? undefined : expected;
}

export function withinRange(least: number, most = Infinity, whole = true): Rule {
  const kind = whole ? "a whole number" : "a number";
  const expected = most === Infinity ? `${kind} of at least ${least}` : `${kind} from ${least} to ${most}`;
  return (value) => {
    const number = Number(value);
    const right = Number.isFinite(number) && number >= least && number <= most && (!whole || Number.isInteger(number));
    return right ? undefined : expected;
  };
}

/** A process's limit of memory in bytes, or 0 for none. With less than 128 MiB no process of Brine would start. */
export const memoryLimit: Rule = (value) => {
  const wrong = Number(value) === 0 ? undefined : withinRange(134_217_728)(value);
  return wrong && `0 or ${wrong}`;
};

/** Rule for a map: every value must fit. @param expected completes "expected a map of …" */
export const mapRule = (fits: (value: unknown) => boolean, expected: string): Rule => (value) =>
  value === null || isRecord(value) && Object.values(value).every((item) => item === null || fits(item))
    ? undefined
    : `a map of ${expected}`;

/** Patterns of functions, and maps of targets and conditions: docs/permissions.md. */
export const isGrant = (value: unknown): boolean => isRecord(value) || isGrants(value);

/** The same as a list, or one pattern: no map. */
export const isGrants = (value: unknown): boolean =>
  isText(value) || Array.isArray(value) && value.every((item) => isText(item) || isRecord(item));

export const ports = withinRange(0, 65_535);
export const roots = mapRule(isTexts, "environment → list of directories");
export const level: Rule = (value) =>
  (LOG_LEVELS as readonly string[]).includes(String(value).toLowerCase()) ? undefined : oneOf(...LOG_LEVELS)(value);

/** Rule for the host of an HTTP proxy; its port is an option of its own. */
export const proxyHost: Rule = (value) =>
  value === "" ||
    typeof value === "string" && (/^[\w.-]+$/.test(value) || /^\[?[0-9a-f:]+:[0-9a-f:.]*\]?$/i.test(value))
    ? undefined
    : "a host name or an address alone, such as proxy.example.com: http:// is implied, and the port is proxy_port";

/** Any number: a value below 0 means "no limit" or "for ever". */
export const anyNumber = withinRange(-Infinity, Infinity, false);
export const hashType = oneOf("md5", "sha1", "sha224", "sha256", "sha384", "sha512");
export const levels = mapRule((value) => level(value) === undefined, "part → level");
export const noProxy: Rule = (value) =>
  value === "" || isTexts(value) ? undefined : "a list of host names and addresses";
export const nodegroups = mapRule(isTexts, "name → compound expression, or list of its words");
export const merging = oneOf("smart", "recurse", "aggregate", "overwrite", "list", "none");
export const externalAuth = mapRule((section) =>
  isRecord(section) && Object.values(section).every(
    (item) => item === null || isGrant(item) || typeof item === "boolean" || typeof item === "number",
  ), "backend → user or group → list of functions");
export const addresses: Rule = (value) =>
  typeof value === "string" || Array.isArray(value) && value.length > 0 && isTexts(value)
    ? undefined
    : "an address, or a list of addresses";
export const switchOrNothing: Rule = (value) => typeof value === "boolean" ? undefined : "True, False or nothing";
