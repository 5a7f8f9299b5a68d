/** Entries of schedules, each run once; `OUT` is a file that `rawfile_json` writes, `ALT` another one. */
type Entries = Record<string, Record<string, unknown>>;

/** Runs when its host starts, and not again. */
const once = (entry: Record<string, unknown>) => ({ run_on_start: true, hours: 9, ...entry });

const COMMON: Entries = {
  plain: once({ function: "test.arg", args: [1, "two"], kwargs: { k: "v" } }),
  nothing: once({ function: "test.arg", kwargs: {} }),
  metadata: once({ function: "test.arg", metadata: { a: 1 } }),
  "no metadata": once({ function: "test.arg", metadata: "words" }),
  missing: once({ function: "no.such" }),
  throws: once({ function: "test.sleep", args: ["long"] }),
  nocache: once({ function: "test.arg", return_job: "nocache" }),
  silent: once({ function: "test.arg", return_job: false }),
  named: once({ function: "test.arg", name: "another" }),
  "a returner": once({ function: "test.arg", args: [1], returner: "rawfile_json" }),
  "a list of returners": once({ function: "test.arg", returner: ["rawfile_json", "rawfile_json"] }),
  "an unknown returner": once({ function: "test.arg", returner: "nosuch" }),
  "names with a comma": once({ function: "test.arg", returner: "rawfile_json,rawfile_json" }),
  "a returner alone": once({ function: "test.arg", returner: "rawfile_json", return_job: false }),
  "a returner of nocache": once({ function: "test.arg", returner: "rawfile_json", return_job: "nocache" }),
  "a returner with settings": once({
    function: "test.arg",
    returner: "rawfile_json",
    return_config: "alternative",
    return_kwargs: { filename: "ALT" },
    metadata: { a: 1 },
  }),
  "a returner of a failure": once({ function: "test.sleep", args: ["long"], returner: "rawfile_json" }),
  "a returner of no function": once({ function: "no.such", returner: "rawfile_json" }),
};

/** Runners of a master. */
export const MASTER_SCHEDULE: Entries = {
  ...COMMON,
  orchestrate: once({
    function: "state.orchestrate",
    args: ["bad"],
    kwargs: { pillar: { word: "w" } },
    returner: "rawfile_json",
  }),
};

/** Functions of a minion. */
export const MINION_SCHEDULE: Entries = {
  ...COMMON,
  retcode: once({ function: "test.retcode", args: [3], returner: "rawfile_json" }),
  states: once({ function: "state.apply", args: ["bad"], returner: "rawfile_json" }),
};
