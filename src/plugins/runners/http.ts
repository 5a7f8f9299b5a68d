import { runnerFunctions, type RunnerModule } from "../../model/loader/family.ts";

/** Requests over HTTP from the master's host. */
export const runner: RunnerModule = {
  functions: runnerFunctions({
    "query(url, output=True, **kwargs)": {
      doc:
        "Makes a request; the body of the answer, and what else is wanted: the same as the execution function http.query.\n\n" +
        "    salt-run http.query http://somelink.com/ method=POST params='{key1: val1}'",
      run: (context, { url, kwargs }) => context.callFunction("http.query", [url], kwargs),
    },
  }),
};
