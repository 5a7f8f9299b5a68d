import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { globFiles, loadConfig, type LoadConfigOptions } from "../../src/config/load.ts";
import { MASTER_OPTIONS } from "../../src/config/master_opts.ts";
import { MINION_OPTIONS } from "../../src/config/minion_opts.ts";
import { bool, fits, list, map, number, settle, text } from "../../src/config/option.ts";
import { baseName, dirName, isWithin, joinPath, normalizePath } from "../../src/config/paths.ts";
import { ConfigError } from "../../src/errors.ts";
import { memoryFileSystem } from "../../src/runtime/memory/fs.ts";
import { captureLog } from "../support/capture_log.ts";
import { FakeClock } from "../support/fake_clock.ts";

const table = {
  name: text("none"),
  port: number(1),
  on: bool(false),
  names: list([]),
  places: map({}),
  pki_dir: text("/etc/pki"),
  default_include: text("conf.d/*.conf"),
};

/** Loads `/etc/conf` from files whose text is JSON. */
function load(files: Record<string, unknown>, more: Partial<LoadConfigOptions> = {}) {
  const fs = memoryFileSystem({ clock: new FakeClock() });
  for (const [path, value] of Object.entries(files)) {
    fs.mkdir(path.slice(0, path.lastIndexOf("/")) || "/");
    fs.write(path, typeof value === "string" ? value : JSON.stringify(value));
  }
  const captured = captureLog();
  const parse = (content: string) => ({ value: content === "" ? null : JSON.parse(content), lineOf: () => 7 });
  return { ...loadConfig({ fs, log: captured.log, parse, file: "/etc/conf", table, ...more }), ...captured };
}

describe("loadConfig()", () => {
  test("a file that is missing or empty leaves the defaults", () => {
    for (const files of [{}, { "/etc/conf": "" }]) {
      const { opts, given } = load(files);
      assert.equal(opts.name, "none");
      assert.equal(opts.port, 1);
      assert.equal(given.size, 0);
    }
  });

  test("defaults are the caller's own: to change one changes no table", () => {
    const { opts } = load({});
    (opts.names as string[]).push("x");
    assert.deepEqual(load({}).opts.names, []);
  });

  test("values come in the types of their options; unknown keys stay as they are", () => {
    const { opts, given } = load({ "/etc/conf": { name: 7, port: "4506", on: "yes", names: "one", mine: { a: 1 } } });
    assert.deepEqual([opts.name, opts.port, opts.on, opts.names, opts.mine], ["7", 4506, true, ["one"], { a: 1 }]);
    assert.deepEqual([...given].sort(), ["mine", "name", "names", "on", "port"]);
  });

  test("included files are merged among each other and replace keys of the main one; overrides come last", () => {
    const { opts } = load({
      "/etc/conf": { name: "main", places: { main: 1 }, names: ["main"], include: "more/*.x" },
      "/etc/conf.d/1.conf": { places: { one: 1 }, names: ["one"] },
      "/etc/conf.d/2.conf": { places: { two: 2 }, names: ["two"] },
      "/etc/conf.d/.hidden.conf": { name: "hidden" },
      "/etc/conf.d/3.txt": { name: "text" },
      "/etc/more/a.x": { port: 5 },
    }, { overrides: { port: 9 } });
    assert.deepEqual(opts.places, { one: 1, two: 2 });
    assert.deepEqual(opts.names, ["one", "two"]);
    assert.equal(opts.name, "main");
    assert.equal(opts.port, 9);
  });

  test("an include that is not there is said; one in a circle is read once", () => {
    const { opts, complaints } = load({
      "/etc/conf": { include: ["a.conf", "none.conf"] },
      "/etc/a.conf": { name: "a", include: "b.conf" },
      "/etc/b.conf": { port: 2, include: "a.conf" },
    });
    assert.deepEqual([opts.name, opts.port], ["a", 2]);
    assert.deepEqual(complaints(), ["included configuration not found"]);
  });

  for (
    const [name, files, message] of [
      ["text that does not parse", { "/etc/conf": "{" }, /Error parsing configuration file: \/etc\/conf/],
      ["a list", { "/etc/conf": ["x"] }, /conf should be a document, not list/],
      [
        "a wrong type, with file and line",
        { "/etc/conf": { port: "x" } },
        /^The option port is "x": expected a number \(\/etc\/conf, line 7\)$/,
      ],
      ["a wrong type in an included file", { "/etc/conf.d/1.conf": { places: [1] } }, /conf.d\/1.conf, line 7/],
    ] as const
  ) {
    test(`refuses ${name}`, () => {
      assert.throws(() => load(files), (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, message);
        return true;
      });
    });
  }

  test('onProblem "warning" goes on with the default', () => {
    const { opts, complaints } = load({ "/etc/conf": { port: [] } }, { onProblem: "warning" });
    assert.equal(opts.port, 1);
    assert.equal(complaints().length, 1);
  });

  test("root_dir stands before the paths that are not below it yet", () => {
    const rooted = { ...table, root_dir: text("/"), cachedir: text("/var/cache") };
    const { opts } = load({ "/etc/conf": { root_dir: "/tmp/r/", cachedir: "/tmp/r/cache" } }, { table: rooted });
    assert.equal(opts.pki_dir, "/tmp/r/etc/pki");
    assert.equal(opts.cachedir, "/tmp/r/cache");
  });
});

test("globFiles() finds names by their last part alone", () => {
  const fs = memoryFileSystem({ clock: new FakeClock() });
  fs.mkdir("/d/sub");
  for (const name of ["a.conf", "b.conf", "a.conf.bak", ".c.conf", "axconf"]) fs.write(`/d/${name}`, "");
  assert.deepEqual(globFiles(fs, "/d/*.conf"), ["/d/a.conf", "/d/b.conf"]);
  assert.deepEqual(globFiles(fs, "/d/[!a].conf"), ["/d/b.conf"]);
  assert.deepEqual(globFiles(fs, "/d/?.conf"), ["/d/a.conf", "/d/b.conf"]);
  assert.deepEqual(globFiles(fs, "/d/a.conf"), ["/d/a.conf"]);
  assert.deepEqual(globFiles(fs, "/none/*.conf"), []);
  assert.deepEqual(globFiles(fs, "/*/a.conf"), []);
});

describe("options", () => {
  for (const [name, options] of [["master", MASTER_OPTIONS], ["minion", MINION_OPTIONS]] as const) {
    test(`every default of the ${name} fits its own type`, () => {
      for (const [key, spec] of Object.entries(options)) {
        assert.ok(fits(spec, spec.default), key);
        if (spec.type !== "any") assert.deepEqual(settle(spec, spec.default), spec.default, key);
      }
    });
  }

  for (
    const [spec, value, want] of [
      [bool(true), "no", false],
      [bool(false), "True", true],
      [bool(true), 0, false],
      [bool(true), null, true],
      [number(1), "2.5", 2.5],
      [number(1), true, 1],
      [number(1), null, 1],
      [text(""), 7, "7"],
      [text(""), false, "false"],
      [list([]), "a", ["a"]],
      [list([]), ["a"], ["a"]],
    ] as const
  ) {
    test(`${JSON.stringify(value)} for ${spec.type} is ${JSON.stringify(want)}`, () => {
      assert.ok(fits(spec, value));
      assert.deepEqual(settle(spec, value), want);
    });
  }

  for (
    const [spec, value] of [
      [number(1), ""],
      [number(1), "1x"],
      [number(1), []],
      [bool(true), []],
      [text(""), {}],
      [list([]), 7],
      [list([]), {}],
      [map({}), []],
      [map({}), "x"],
    ] as const
  ) test(`${JSON.stringify(value)} is nothing for ${spec.type}`, () => assert.equal(fits(spec, value), false));
});

describe("paths", () => {
  for (
    const [parts, want] of [
      [["/a", "b"], "/a/b"],
      [["/a/", "b", "c"], "/a/b/c"],
      [["/a", "/b"], "/b"],
      [["", "b"], "b"],
      [["a", ""], "a"],
    ] as const
  ) test(`joinPath(${parts.join(", ")}) is ${want}`, () => assert.equal(joinPath(...parts), want));

  for (
    const [path, normal] of [
      ["/a/./b//c/..", "/a/b"],
      ["/../..", "/"],
      ["a/../..", ".."],
      ["../a", "../a"],
      ["", "."],
      ["./", "."],
    ] as const
  ) test(`normalizePath("${path}") is ${normal}`, () => assert.equal(normalizePath(path), normal));

  for (
    const [directory, path, want] of [
      ["/a", "/a/b", true],
      ["/a", "/a", true],
      ["/a", "/ab", false],
      ["/a", "/a/../b", false],
      ["/a", "/a/b/../../a/c", true],
      ["/", "/x", true],
      ["/a/", "/a/b", true],
    ] as const
  ) test(`isWithin(${directory}, ${path}) is ${want}`, () => assert.equal(isWithin(directory, path), want));

  test("dirName() and baseName()", () => {
    assert.deepEqual(["/a/b/c", "/a", "c", "/a/b/"].map(dirName), ["/a/b", "/", ".", "/a"]);
    assert.deepEqual(["/a/b/c", "/a", "c", "/a/b/"].map(baseName), ["c", "a", "c", "b"]);
  });
});
