/**
 * The tree of `formulas/`, by `salt-call --local` of real Salt and ours: what `state.show_*` print, byte for byte, and what becomes of
 * it when it is applied, dry, for real and again, in a directory of its own. Beside 3006 nothing differs; beside 3007 what DIFFERENCES
 * names. The quick form runs 3006 alone.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { saltProgram } from "../../bench/bed/salt_release.ts";
import { installSalt, type Release } from "./release.ts";

const skip = (process.env.BRINE_INTEROP ?? "") === ""
  ? "NOT TESTED AGAINST REAL SALT: set BRINE_INTEROP to quick or full"
  : process.versions.bun !== undefined || process.versions.deno !== undefined
  ? "driven by Node's test runner alone"
  : false;

const CALLS = [
  ["state.show_top"],
  ["state.show_top", "saltenv=dev"],
  ["state.show_highstate"],
  ["state.show_highstate", "--out=nested"],
  ["state.show_lowstate"],
  ["state.show_lowstate", "--out=nested"],
  ["state.show_top", "--out=nested"],
  ["state.show_states"],
  ["state.show_state_usage"],
  ["state.show_sls", "checks.*"],
  ["state.show_sls", "web.clean,app.rollback"],
  ["state.show_low_sls", "web.clean"],
  ["state.show_low_sls", "app.rollback"],
  ["state.show_low_sls", "tools", "saltenv=dev"],
  ...["conflict", "function", "include", "requisite", "shape", "template", "yaml"].flatMap((name) => [
    ["state.show_sls", `broken.${name}`],
    ["state.show_low_sls", `broken.${name}`],
  ]),
  ["state.show_sls", "nope"],
];

interface Difference {
  why: string;
  /** What the release prints, as we and 3006 print it. */
  undo: (printed: string) => string;
  /** A call that shows the difference; it would be untrue to keep it here once that is gone. */
  seenIn: readonly string[];
}

/** What a release prints in other words than 3006 and we do; docs/internals/states.md lists them, too. */
const DIFFERENCES: Readonly<Partial<Record<Release, readonly Difference[]>>> = {
  "3007": [
    {
      why: "3007 marks states that came by `include`, so that a requisite on an SLS means what that SLS includes, too",
      undo: (printed) =>
        printed
          .replaceAll(/,\n +"__sls_included_from__": \[[^\]]*\]/g, "")
          .replaceAll(/ +__sls_included_from__:\n(?: +- [\w.]+\n)+/g, ""),
      seenIn: ["state.show_highstate"],
    },
    {
      why: "pillar, grains and opts of templates are plain dicts in 3007, and a NamespacedDictWrapper in 3006",
      undo: (printed) =>
        printed.replaceAll(
          "Jinja variable 'dict object' has no attribute",
          "Jinja variable 'salt.utils.context.NamespacedDictWrapper object' has no attribute",
        ),
      seenIn: ["state.show_sls", "broken.template"],
    },
  ],
};

const releases: readonly Release[] = process.env.BRINE_INTEROP === "full" ? ["3006", "3007"] : ["3006"];
for (const release of releases) {
  describe(`states of formulas against Salt ${release}`, { skip, timeout: 900_000 }, () => {
    const differences = DIFFERENCES[release] ?? [];
    const place = skip === false ? fs.mkdtempSync(path.join(process.env.TMPDIR ?? "/tmp", "brine-formulas-")) : "";
    const formulas = new URL("./formulas/", import.meta.url).pathname;
    const salt = saltProgram(release, "salt-call");
    const ours = new URL("../../cli/salt-call.ts", import.meta.url).pathname;

    const sandbox = path.join(place, "sandbox");

    before(() => {
      if (skip !== false) {
        return;
      }
      assert.equal(installSalt(release), undefined);
      for (const who of ["salt", "ours"]) {
        const opts = {
          id: "web1",
          root_dir: path.join(place, who, "root"),
          file_client: "local",
          file_roots: { base: [`${formulas}states`], dev: [`${formulas}dev`] },
          pillar_roots: { base: [`${formulas}pillar`] },
          grains: { roles: ["web", "db"] },
          formulas_sandbox: sandbox,
        };
        fs.mkdirSync(path.join(place, who), { recursive: true });
        fs.writeFileSync(path.join(place, who, "minion"), JSON.stringify(opts));
      }
    });
    after(() => {
      if (skip === false) fs.rmSync(place, { recursive: true });
    });

    /** What a program prints and how it ends; its own directory is called {ROOT}. */
    function answer(who: "salt" | "ours", call: readonly string[]): { code: number | null; stdout: string } {
      const config = path.join(place, who);
      const isJson = !call.some((word) => word.startsWith("--out"));
      const words = ["--local", "-c", config, "--log-level=quiet", ...call, ...isJson ? ["--out=json"] : []];
      const argv = who === "salt" ? [salt, ...words] : [process.execPath, ours, ...words];
      const { status, stdout } = spawnSync(argv[0]!, argv.slice(1), { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
      return { code: status, stdout: stdout.replaceAll(config, "{ROOT}") };
    }

    /** States as they returned, in order, without what is another each time. */
    function applied(who: "salt" | "ours", ...words: string[]): [string, Record<string, unknown>][] {
      const { local } = JSON.parse(answer(who, ["state.apply", ...words]).stdout) as {
        local: Record<string, Record<string, unknown>>;
      };
      return Object.entries(local).map(([tag, { start_time: _start, duration: _duration, ...entry }]) => {
        const { pid: _pid, ...changes } = entry.changes as Record<string, unknown>;
        return [tag, { ...entry, changes }];
      });
    }

    /** Everything below the sandbox: path → mode, and text or target. */
    function files(): Record<string, string> {
      const found: Record<string, string> = {};
      for (const name of fs.readdirSync(sandbox, { recursive: true, encoding: "utf8" }).sort()) {
        const full = path.join(sandbox, name);
        const stat = fs.lstatSync(full);
        const text = stat.isSymbolicLink() ? fs.readlinkSync(full) : stat.isFile() ? fs.readFileSync(full, "utf8") : "";
        found[name] = `${(stat.mode & 0o7777).toString(8)} ${text}`;
      }
      return found;
    }

    test("applied dry, for real and again", () => {
      const [wanted, got] = (["salt", "ours"] as const).map((who) => {
        fs.rmSync(sandbox, { recursive: true, force: true });
        const dry = applied(who, "test=True");
        const untouched = !fs.existsSync(sandbox);
        return { dry, untouched, real: applied(who), again: applied(who), files: files() };
      });
      assert.ok(wanted!.real.length > 100 && wanted!.untouched);
      assert.deepEqual(got, wanted);
    });

    for (const call of CALLS) {
      test(call.join(" "), () => {
        const wanted = answer("salt", call);
        assert.ok(wanted.stdout.length > 20, wanted.stdout);
        assert.deepEqual(answer("ours", call), {
          ...wanted,
          stdout: differences.reduce((printed, { undo }) => undo(printed), wanted.stdout),
        });
      });
    }

    for (const { why, undo, seenIn } of differences) {
      test(`still differs: ${why}`, () => {
        const { stdout } = answer("salt", seenIn);
        assert.notEqual(undo(stdout), stdout);
      });
    }
  });
}
