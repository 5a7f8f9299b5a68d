import { Pool } from "../../base/async/pool.ts";
import { executionFunctions, type ExecutionModule, type JobContext } from "../../model/loader/family.ts";
import { entriesOf, isMap, lookup, splitInput, str, truthy } from "../../language/python/values.ts";
import { iterate } from "../../language/python/iterate.ts";
import { pythonError } from "../python_errors.ts";
import { ownKeywords } from "../keywords.ts";
import { report } from "./saltcheck/report.ts";
import { runTest, type TestResult } from "./saltcheck/run_test.ts";
import { TestFiles } from "./saltcheck/test_files.ts";

const saltenvOf = (context: JobContext, saltenv: unknown): string =>
  [saltenv, context.opts.saltenv, "base"].filter(truthy).map(str)[0]!;

async function testFiles(context: JobContext, saltenv: string): Promise<TestFiles> {
  return new TestFiles(
    context,
    saltenv,
    str(await context.call("config.get", ["saltcheck_test_location", "saltcheck-tests"])),
  );
}

/** The states that top files give this minion. */
async function statesOfTop(context: JobContext, saltenv: string): Promise<string[]> {
  const top = await context.call("state.show_top", [], { saltenv });
  const states = isMap(top) ? lookup(top, saltenv) : undefined;
  if (states === undefined) throw pythonError("KeyError", `'${saltenv}'`);
  return Array.from(iterate(states), str);
}

/** How many tests may run at once. A test that applies states runs in its turn. */
async function limitOf(context: JobContext, tests: ReadonlyMap<string, unknown>): Promise<number> {
  if (!truthy(await context.call("config.get", ["saltcheck_parallel", false]))) return 1;
  const inOrder = [...tests.values()].some((test) =>
    isMap(test) && str(lookup(test, "module_and_function") ?? "").includes("state.apply")
  );
  const processors = context.runtime.host.cpus().length;
  const wanted = Math.trunc(Number(await context.call("config.get", ["saltcheck_processes", 0])));
  return inOrder || processors < 2 ? 1 : wanted > 0 ? wanted : processors;
}

async function runAllTests(
  context: JobContext,
  tests: ReadonlyMap<string, unknown>,
): Promise<ReadonlyMap<string, TestResult>> {
  const pool = new Pool(await limitOf(context, tests));
  const results = await Promise.all(
    [...tests].map(([name, test]) => pool.run(async () => [name, await runTest(context, test)] as const)),
  );
  return new Map(results);
}

interface StateTests {
  saltenv: unknown;
  checkAll?: boolean;
  onlyFails: unknown;
}

async function runStateTests(context: JobContext, states: unknown, options: StateTests): Promise<unknown[]> {
  const files = await testFiles(context, saltenvOf(context, options.saltenv));
  const results = new Map<string, ReadonlyMap<string, TestResult>>();
  for (const state of splitInput(states)) {
    const tests = await files.read(await files.of(state, options.checkAll ?? false));
    const result = await runAllTests(context, tests);
    // A state that is named twice has no tests the second time.
    if ((results.get(state)?.size ?? 0) === 0) results.set(state, result);
  }
  return report(context, results, truthy(options.onlyFails));
}

const WORDS = "\n\nsaltenv: the environment; by default the minion's own, else base\n" +
  "only_fails: leave out the tests that pass\njunit: without effect";
const STATE_TESTS = "state, saltenv=None, check_all=False, only_fails=False, junit=False";

type StateTestArguments = Record<"state" | "saltenv" | "check_all" | "only_fails", unknown>;

const stateTests = (context: JobContext, { state, saltenv, check_all, only_fails }: StateTestArguments) =>
  runStateTests(context, state, { saltenv, checkAll: truthy(check_all), onlyFails: only_fails });

/** Tests of states: calls, and what they must return. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "run_test(**kwargs)": {
      doc: "Runs one test.\n\n    salt '*' saltcheck.run_test " +
        'test=\'{"module_and_function": "test.echo", "args": ["a"], "assertion": "assertEqual", "expected_return": "a"}\'',
      run(context, { kwargs }) {
        const { test } = ownKeywords(kwargs);
        return isMap(test) && truthy(test) ? runTest(context, test) : "Test argument must be a dictionary";
      },
    },
    [`run_state_tests(${STATE_TESTS})` as const]: {
      doc:
        "Runs the tests of states, and of those that they include: saltcheck-tests/*.tst beside an SLS file in a folder.\n\n" +
        `    salt '*' saltcheck.run_state_tests web,users${WORDS}\ncheck_all: all tests of the directories`,
      run: stateTests,
    },
    [`run_state_tests_ssh(${STATE_TESTS})` as const]: {
      doc: "As saltcheck.run_state_tests.\n\n    salt '*' saltcheck.run_state_tests_ssh web",
      run: stateTests,
    },
    "run_highstate_tests(saltenv=None, only_fails=False, junit=False)": {
      doc: `Runs the tests of the states that top files give.\n\n    salt '*' saltcheck.run_highstate_tests${WORDS}`,
      async run(context, { saltenv, only_fails }) {
        const from = saltenvOf(context, saltenv);
        return await runStateTests(context, (await statesOfTop(context, from)).join(","), {
          saltenv: from,
          onlyFails: only_fails,
        });
      },
    },
    "report_highstate_tests(saltenv=None)": {
      doc: "Which states of top files have tests, and which not. The return code is the number without.\n\n" +
        "    salt '*' saltcheck.report_highstate_tests",
      async run(context, { saltenv }) {
        const from = saltenvOf(context, saltenv);
        const files = await testFiles(context, from);
        const missing: string[] = [];
        for (const state of await statesOfTop(context, from)) {
          await files.of(state, false);
          if (!files.found.includes(state)) missing.push(state);
        }
        context.retcode = missing.length;
        return {
          "TEST REPORT RESULTS": {
            "Missing Tests": missing.length,
            "States missing tests": missing,
            "States with tests": files.found,
          },
        };
      },
    },
    "parallel_scheck(data)": {
      doc: "Runs a test, given as its name and the test.\n\n    salt-call saltcheck.parallel_scheck '[name, {…}]'",
      async run(context, { data }) {
        const [name, test] = Array.from(iterate(data));
        return new Map([[name, await runTest(context, test)]]);
      },
    },
    "state_apply(state_name, **kwargs)": {
      doc: "Applies states before or after a test.\n\n    salt '*' saltcheck.state_apply web",
      run: (context, { state_name, kwargs }) =>
        context.with({ retcode: 0 }).call("state.apply", [state_name], Object.fromEntries(entriesOf(kwargs))),
    },
  }),
};
