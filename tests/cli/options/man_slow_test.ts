import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { manPage, MANUALS } from "../../../cli/options/man.ts";
import { PROGRAMS } from "../../../cli/options/programs.ts";

const groff = spawnSync("groff", ["--version"]).error === undefined ? false : "no groff: apt install groff-base";

describe("manual pages", () => {
  test("every program has one, and every option of it is there", () => {
    assert.deepEqual([...MANUALS].sort(), Object.keys(PROGRAMS).sort());
    for (const program of MANUALS) {
      const page = manPage(program);
      for (const { names, help } of PROGRAMS[program]({}).groups.flatMap(({ options }) => options)) {
        for (const name of names) {
          assert.ok(page.includes(`\\fB${name.replaceAll("-", "\\-")}\\fR`), `${program} ${name}`);
        }
        assert.ok(page.includes(help.replaceAll("\\", "\\e").replaceAll("-", "\\-")), `${program}: ${help}`);
      }
    }
  });

  for (const program of MANUALS) {
    test(`groff takes ${program}(1) without a warning`, { skip: groff }, () => {
      const { stdout, stderr } = spawnSync("groff", ["-man", "-Tutf8", "-ww", "-P-cbou"], {
        input: manPage(program),
        encoding: "utf8",
      });
      assert.equal(stderr, "");
      assert.match(stdout, /OPTIONS/);
      assert.match(stdout, /-h, --help/);
    });
  }
});
