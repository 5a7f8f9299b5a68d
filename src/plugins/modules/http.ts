import { executionFunctions, type ExecutionModule } from "../../model/loader/family.ts";
import { truthy } from "../../language/python/values.ts";
import { query } from "./http/query.ts";

const OPTIONS = `

method, params, data, data_file: what is asked; maps are sent as forms
header_dict, header_list, header_file, agent: heads of the request
username, password: for basic authentication
status, headers, text: whether these are in the return
decode, decode_type: reads the body as json, xml or yaml, or by what its head says (auto), into dict
decode_body: False leaves the body as bytes. raise_error: False makes no error of codes from 300 on
text_out, decode_out: files that the body is written to
test, test_url: makes no request, or one to another address`;

/** Seconds between two attempts by default: without a pause it would be an attack. */
const INTERVAL = 1;

/** Requests over HTTP. */
export const module: ExecutionModule = {
  functions: executionFunctions({
    "query(url, **kwargs)": {
      doc: `Sends a request; returns the body of the response, and more on request.\n\n` +
        `    salt '*' http.query http://somelink.com/ method=POST params='{key1: val1}'${OPTIONS}`,
      run: (context, { url, kwargs }) => query(context, url, kwargs),
    },
    /** Repeats a request until it succeeds or the time is over; then returns the last response. */
    "wait_for_successful_query(url, wait_for=300, **kwargs)": {
      doc: "Repeats a request until it succeeds, for a number of seconds. `request_interval` is the time " +
        `between two.\n\n    salt '*' http.wait_for_successful_query http://somelink.com/ wait_for=160${OPTIONS}`,
      async run(context, { url, wait_for: waitFor, kwargs }): Promise<unknown> {
        const { clock } = context.runtime;
        const options = kwargs;
        const end = clock.now() + Number(waitFor) * 1000;
        for (;;) {
          let result: Record<string, unknown> | undefined;
          let failure: unknown;
          try {
            result = await query(context, url, options);
            if (!truthy(result.Error ?? null) && !truthy(result.error ?? null)) return result;
          } catch (error) {
            context.signal.throwIfAborted();
            failure = error;
          }
          if (clock.now() > end) {
            if (result === undefined) throw failure;
            return result;
          }
          await clock.sleep(Number(options.request_interval ?? INTERVAL) * 1000, context.signal);
        }
      },
    },
  }),
};
