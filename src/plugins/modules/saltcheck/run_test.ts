/** One test of `saltcheck`: a call, and what its return must be. */
import type { JobContext } from "../../../model/loader/family.ts";
import { type AnyMap, entriesOf, isMap, str, toFloat, truthy, typeName } from "../../../language/python/values.ts";
import { dictGet, MISSING } from "../../../language/python/dict.ts";
import { tryIterate } from "../../../language/python/iterate.ts";
import { dumpJson } from "../../../language/python/json_dump.ts";
import { typeError } from "../../../language/python/python_error.ts";
import { traverseOr } from "../../../language/python/traverse.ts";
import { pythonError } from "../../python_errors.ts";
import { assertionOf, convertedTo } from "./assertions.ts";

/** What became of a test: `status`, `duration` in seconds, and with details what was called and compared. */
export type TestResult = Record<string, unknown>;

/** A step that applies a state and asserts nothing. */
const STEP = "saltcheck.state_apply";

/** The value under the first of some keys that a test has. */
function valueOf(test: AnyMap, fallback: unknown, ...keys: string[]): unknown {
  for (const key of keys) {
    const value = dictGet(test, key);
    if (value !== MISSING) return value;
  }
  return fallback;
}

const expectedOf = (test: AnyMap) => valueOf(test, null, "expected_return", "expected-return");

/** A part of a test that must be a map. */
function mapIn(value: unknown, what: string): AnyMap {
  if (isMap(value)) return value;
  throw typeError(`${what} must be a map, not ${typeName(value)}`);
}

/** A part of a test that must be a list; empty if the test does not have it. */
function listIn(value: unknown, what: string): unknown[] {
  const items = truthy(value) ? tryIterate(value) : [];
  if (items !== undefined) return Array.from(items);
  throw typeError(`${what} must be a list, not ${typeName(value)}`);
}

/** The groups under `assertions`; empty if the test itself is the only one. */
function groupsOf(test: AnyMap): AnyMap[] {
  return listIn(valueOf(test, null, "assertions"), "assertions").map((group) => mapIn(group, "An item of assertions"));
}

/** Why an assertion cannot be checked; undefined if it can. */
function faultOfAssertion(group: AnyMap): string | undefined {
  const name = valueOf(group, null, "assertion");
  const assertion = assertionOf(name);
  if (assertion === undefined) return `there is no assertion ${str(name)}`;
  return assertion.expects && expectedOf(group) === null ? `${str(name)} needs expected_return` : undefined;
}

async function faultOfFunction(context: JobContext, name: unknown): Promise<string | undefined> {
  if (!truthy(name)) return "module_and_function is missing";
  if (str(name).split(".").length !== 2) {
    throw pythonError("ValueError", `module_and_function must be MODULE.FUNCTION, not ${str(name)}`);
  }
  const found = await context.functions.find(str(name));
  return "message" in found ? found.message : undefined;
}

/** Why a test cannot run; undefined if it can. Of several assertions, the last one counts, as in Salt. */
async function faultOf(context: JobContext, test: AnyMap): Promise<string | undefined> {
  const name = valueOf(test, null, "module_and_function");
  if (name === STEP) return undefined;
  return faultOfAssertion(groupsOf(test).at(-1) ?? test) ?? await faultOfFunction(context, name);
}

/** The keywords of the call. Only `pillar_data` can set `pillar`. */
function keywordsOf(test: AnyMap): Record<string, unknown> {
  const given = valueOf(test, null, "kwargs");
  const keywords = truthy(given)
    ? Object.fromEntries(entriesOf(mapIn(given, "kwargs")).map(([key, value]) => [str(key), value]))
    : {};
  const pillar = valueOf(test, null, "pillar_data", "pillar-data");
  delete keywords.pillar;
  return truthy(pillar) ? { ...keywords, pillar } : keywords;
}

interface Showing {
  name: string;
  args: unknown;
  /** True to show what was called and compared. */
  details: boolean;
  values: boolean;
}

async function checked(
  group: AnyMap,
  returned: unknown,
  { name, args, details, values }: Showing,
): Promise<TestResult> {
  const section = valueOf(group, null, "assertion_section");
  const delimiter = str(valueOf(group, ":", "assertion_section_delimiter"));
  const value = truthy(section) ? traverseOr(returned, section, false, delimiter) : returned;
  const kind = name === STEP ? "assertNotEmpty" : valueOf(group, MISSING, "assertion");
  if (kind === MISSING) throw pythonError("KeyError", "'assertion'");
  const assertion = assertionOf(kind);
  if (assertion === undefined) return { status: "Fail - bad assertion" };
  const given = expectedOf(group);
  const expected = assertion.converts ? convertedTo(value, given) : given;
  const status = await assertion.holds(expected, value)
    ? "Pass"
    : `Fail: ${assertion.failure(expected, value, values)}`;
  if (!details) return { status };
  const [title, path] = truthy(section) ? [" assertion_section", ` ${str(section)}`] : ["", ""];
  return {
    status,
    [`module.function [args]${title}`]: `${name} ${dumpJson(args, { ensureAscii: false })}${path}`,
    "saltcheck assertion": `${expected === null ? "" : `${str(expected)} `}${assertion.sign} ${
      values ? str(value) : "hidden"
    }`,
  };
}

async function resultOf(context: JobContext, test: AnyMap, details: boolean): Promise<TestResult> {
  const name = str(valueOf(test, null, "module_and_function"));
  const args = valueOf(test, null, "args");
  // The code of a call is not that of the job.
  const returned = await context.with({ retcode: 0 }).call(
    name,
    listIn(args, "args"),
    keywordsOf(test),
  );
  const showing = { name, args, details, values: truthy(valueOf(test, true, "print_result")) };
  const groups = groupsOf(test);
  if (groups.length === 0) return await checked(test, returned, showing);
  const results = await Promise.all(groups.map((group) => checked(group, returned, showing)));
  return {
    ...Object.fromEntries(results.map((result, at) => [`assertion${at + 1}`, result])),
    status: results.every(({ status }) => status === "Pass") ? "Pass" : "Fail",
  };
}

const seconds = (ms: number) => toFloat(Math.round(ms * 10) / 10_000);

export async function runTest(context: JobContext, given: unknown): Promise<TestResult> {
  const test = mapIn(given, "A test");
  const started = context.runtime.clock.now();
  const details = valueOf(test, MISSING, "output_details");
  const showsDetails = details === MISSING
    ? await context.call("config.get", ["saltcheck_output_details", false])
    : details;
  const fault = await faultOf(context, test);
  if (fault !== undefined) context.log.error("invalid saltcheck test", { fault });
  else if (truthy(valueOf(test, false, "skip"))) return { status: "Skip", duration: toFloat(0) };
  const result = fault === undefined
    ? await resultOf(context, test, truthy(showsDetails))
    : { status: "Fail - invalid test" };
  return { ...result, duration: seconds(context.runtime.clock.now() - started) };
}
