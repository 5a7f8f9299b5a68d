/** The test files of states: `*.tst` in a directory beside them. */
import { joinPath, normalizePath } from "../../../base/paths.ts";
import type { JobContext } from "../../../model/loader/family.ts";
import { entriesOf, isMap, lookup, str, typeName } from "../../../language/python/values.ts";
import { dumpJson } from "../../../language/python/json_dump.ts";
import { parseOrderedJson } from "../../../language/python/json.ts";
import { typeError } from "../../../language/python/python_error.ts";

/** Finds and reads the tests of states, for one run. */
export class TestFiles {
  readonly #context: JobContext;
  readonly #saltenv: string;
  readonly #location: string;
  #states: ReadonlySet<string> | undefined;
  /** The states whose tests this run has found, in their order. */
  readonly found: string[] = [];

  /** @param location the directory of tests, below that of a state */
  constructor(context: JobContext, saltenv: string, location: string) {
    this.#context = context;
    this.#saltenv = saltenv;
    this.#location = location;
  }

  /** The names of the states that an SLS file has, with those that it includes. A name without an SLS file may have tests, too. */
  async #namesOf(sls: string): Promise<string[]> {
    const { files, log } = this.#context;
    this.#states ??= new Set(await files.states(this.#saltenv));
    if (!this.#states.has(sls)) return [sls];
    // The code of a state with errors is not that of the job.
    const chunks = await this.#context.with({ retcode: 0 }).call("state.show_low_sls", [sls], {
      saltenv: this.#saltenv,
      test: true,
    });
    const names = new Set<string>();
    for (const chunk of Array.isArray(chunks) ? chunks : []) {
      if (!isMap(chunk)) {
        log.error("no tests of a state with errors", { sls, error: str(chunk) });
        break;
      }
      const name = lookup(chunk, "__sls__");
      if (name !== undefined) names.add(str(name));
    }
    return [...names];
  }

  /** The directories that may have tests of a state, the most specific one first. */
  #directoriesOf(name: string): string[] {
    const parts = name.split(".");
    const parents = new Set([parts.join("/"), parts.slice(0, -1).join("/"), parts[0]!]);
    return [...parents].map((parent) => `salt://${parent}/${this.#location}`).sort((a, b) => b.length - a.length);
  }

  /** How the paths of the files end that have the tests of a state. */
  #endingsOf(name: string): string[] {
    const parts = name.split(".");
    const location = normalizePath(this.#location);
    const [last, above] = [parts.at(-1)!, parts.slice(0, -1)];
    return [
      joinPath(...parts, location, "init.tst"),
      joinPath(...above, location, `${last}.tst`),
      joinPath(parts[0]!, location, ...parts.slice(1, -1), `${last}.tst`),
    ];
  }

  /**
   * Fetches the test files of a state and of those that it includes, and returns their paths.
   *
   * @param all every file of their directories, also of other states
   */
  async of(sls: string, all: boolean): Promise<string[]> {
    const fetched = new Set<string>();
    const chosen = new Set<string>();
    for (const name of await this.#namesOf(sls)) {
      for (const directory of this.#directoriesOf(name)) {
        if (this.found.includes(name)) break;
        const paths = await this.#context.files.cacheDirectory(directory, {
          saltenv: this.#saltenv,
          include: "*.tst",
        });
        for (const path of paths) (all ? chosen : fetched).add(path);
        if (!all && paths.length > 0) this.found.push(name);
      }
      const endings = this.#endingsOf(name);
      for (const path of fetched) if (endings.some((ending) => path.endsWith(ending))) chosen.add(path);
    }
    return [...chosen].sort();
  }

  /** The tests that files have, by name. Of tests with the same name, the last one counts. */
  async read(paths: readonly string[]): Promise<Map<string, unknown>> {
    const tests = new Map<string, unknown>();
    for (const path of paths) {
      const rendered = await this.#context.call("slsutil.renderer", [path], { saltenv: this.#saltenv });
      // As in Salt, a test is what JSON can say: its keys are texts.
      const data = parseOrderedJson(dumpJson(rendered));
      if (!isMap(data)) throw typeError(`${path} must have a map of tests, not ${typeName(data)}`);
      for (const [name, test] of entriesOf(data)) tests.set(str(name), test);
    }
    return tests;
  }
}
