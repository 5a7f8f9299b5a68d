import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { baseName, dirName, isWithin, joinPath, normalizePath } from "../../src/base/paths.ts";

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
