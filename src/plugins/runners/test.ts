import { runnerFunctions, type RunnerModule, SaltInvocationError } from "../../model/loader/family.ts";
import { str } from "../../language/python/values.ts";
import { ownKeywords } from "../keywords.ts";

const METASYNTACTIC: Record<string, string[]> = {
  us: [
    "foo",
    "bar",
    "baz",
    "qux",
    "quux",
    "quuz",
    "corge",
    "grault",
    "garply",
    "waldo",
    "fred",
    "plugh",
    "xyzzy",
    "thud",
  ],
  uk: ["wibble", "wobble", "wubble", "flob"],
};

export const runner: RunnerModule = {
  functions: runnerFunctions({
    "arg(*args, **kwargs)": {
      doc: "The arguments as they arrive.\n\n    salt-run test.arg 1 two three=3",
      run: (_context, { args, kwargs }) => ({ args, kwargs: ownKeywords(kwargs) }),
    },
    "raw_arg(*args, **kwargs)": {
      doc: "The arguments as they arrive, with those that the runner adds.\n\n    salt-run test.raw_arg 1 two three=3",
      run: (_context, { args, kwargs }) => ({ args, kwargs }),
    },
    "sleep(s_time=10)": {
      doc: "Sleeps for a number of seconds.\n\n    salt-run test.sleep 3",
      async run(context, { s_time }) {
        const seconds = Number(s_time);
        if (!Number.isFinite(seconds) || seconds < 0) {
          throw new SaltInvocationError(`Cannot sleep '${str(s_time)}': expected seconds`);
        }
        context.print(str(s_time));
        await context.runtime.clock.sleep(seconds * 1000);
        return true;
      },
    },
    "stdout_print()": {
      doc: "Prints a text and returns another.\n\n    salt-run test.stdout_print",
      run(context) {
        context.print("foo");
        return "bar";
      },
    },
    "stream()": {
      doc: "Reports progress a hundred times.\n\n    salt-run test.stream",
      async run(context) {
        for (let step = 1; step < 100; step++) await context.progress?.({ message: `Runner is ${step}% done` });
        return true;
      },
    },
    "get_opts()": {
      doc: "The master's configuration.\n\n    salt-run test.get_opts",
      run: ({ opts }) => opts,
    },
    "metasyntactic(locality: str='us')": {
      doc: "Metasyntactic variables.\n\n    salt-run test.metasyntactic locality=uk",
      run(_context, { locality }) {
        const words = METASYNTACTIC[locality];
        if (words !== undefined) return words;
        throw new SaltInvocationError(
          `No words of '${locality}': expected one of ${Object.keys(METASYNTACTIC).join(", ")}`,
        );
      },
    },
  }),
};
