/** What a run of tests returns. */
import type { JobContext } from "../../../model/loader/family.ts";
import { compareText } from "../../../language/python/text.ts";
import { toFloat } from "../../../language/python/values.ts";
import type { TestResult } from "./run_test.ts";

/** The results of states: state → test → result. */
type StateResults = ReadonlyMap<string, ReadonlyMap<string, TestResult>>;

const beginsWith = (word: string) => ({ status }: TestResult) => String(status).startsWith(word);

/** The results of each state in order of their names, then the sums; the job fails if a test did. */
export function report(context: JobContext, states: StateResults, onlyFails: boolean): unknown[] {
  const results = [...states.values()].flatMap((tests) => [...tests.values()]);
  const count = (word: string) => results.filter(beginsWith(word)).length;
  const failed = count("Fail");
  context.retcode = failed === 0 ? 0 : 1;
  const took = results.reduce((sum, { duration }) => sum + Number(duration), 0);
  const parts = [...states].map(([state, tests]) => {
    if (!onlyFails) return { state, part: new Map([[state, tests]]) };
    const failures = new Map([...tests].filter(([, result]) => beginsWith("Fail")(result)));
    return failures.size === 0 ? { state: "", part: new Map() } : { state, part: new Map([[state, failures]]) };
  });
  parts.sort((a, b) => compareText(a.state, b.state));
  return [...parts.map(({ part }) => part), {
    "TEST RESULTS": {
      "Execution Time": toFloat(Math.round(took * 10_000) / 10_000),
      Passed: count("Pass"),
      Failed: failed,
      Skipped: count("Skip"),
      "Missing Tests": [...states.values()].filter((tests) => tests.size === 0).length,
    },
  }];
}
