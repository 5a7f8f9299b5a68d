import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as tags from "../../../src/model/event/tag.ts";
import { tagMatcher } from "../../../src/model/event/tag_matcher.ts";
import { vectors } from "../../support/vectors.ts";

const recorded = vectors("events");

describe("tags, against Salt's vectors", () => {
  for (const { suffix, prefix, base, tag } of recorded.tagify) {
    test(`tagify(${JSON.stringify([suffix, prefix, base])}) is ${tag}`, () => {
      assert.equal(tags.tagify(suffix, prefix, base), tag);
    });
  }

  for (const { match_type, event_tag, search, match } of recorded.tag_matching) {
    test(`"${event_tag}" ${match ? "matches" : "does not match"} ${match_type} "${search}"`, () => {
      assert.equal(tagMatcher(search, match_type)(event_tag), match);
    });
  }
});

describe("tags", () => {
  for (
    const { tag, want } of [
      { tag: tags.jobNew("1"), want: "salt/job/1/new" },
      { tag: tags.jobPublish("1"), want: "salt/job/1/publish" },
      { tag: tags.jobReturn("1", "m"), want: "salt/job/1/ret/m" },
      { tag: tags.jobReturns("1"), want: "salt/job/1/ret/" },
      { tag: tags.jobProgress("1", "m", 3), want: "salt/job/1/prog/m/3" },
      { tag: tags.minionStart("m"), want: "salt/minion/m/start" },
      { tag: tags.minionRefresh("m"), want: "minion/refresh/m" },
      { tag: tags.runNew("1"), want: "salt/run/1/new" },
      { tag: tags.runReturn("1"), want: "salt/run/1/ret" },
      { tag: tags.wheelNew("1"), want: "salt/wheel/1/new" },
      { tag: tags.wheelReturn("1"), want: "salt/wheel/1/ret" },
      { tag: tags.beaconTag("m", "load"), want: "salt/beacon/m/load" },
      { tag: tags.beaconTag("m", "load", "x/y"), want: "salt/beacon/m/load/x/y" },
    ]
  ) test(`well-known: ${want}`, () => assert.equal(tag, want));

  for (
    const { pattern, text, fits } of [
      { pattern: "*", text: "", fits: true },
      { pattern: "", text: "", fits: true },
      { pattern: "?", text: "", fits: false },
      { pattern: "?", text: "😀", fits: true },
      { pattern: "a*c", text: "a/b\nc", fits: true },
      { pattern: "a*b*c", text: "abcbc", fits: true },
      { pattern: "a*b*c", text: "acb", fits: false },
      { pattern: "[a-c]x", text: "bx", fits: true },
      { pattern: "[!a-c]x", text: "bx", fits: false },
      { pattern: "[!a-c]x", text: "dx", fits: true },
      { pattern: "[]]", text: "]", fits: true },
      { pattern: "[!]]", text: "]", fits: false },
      { pattern: "[a-]", text: "-", fits: true },
      { pattern: "[-a]", text: "-", fits: true },
      { pattern: "[a", text: "[a", fits: true },
      { pattern: "[z-a]", text: "b", fits: false },
      { pattern: "a.c", text: "abc", fits: false },
      { pattern: "A", text: "a", fits: false },
    ]
  ) {
    test(`fnmatch: "${pattern}" ${fits ? "matches" : "does not match"} ${JSON.stringify(text)}`, () => {
      assert.equal(tags.fnmatch(pattern)(text), fits);
    });
  }

  test("fnmatch takes bounded time for a hostile pattern", () => {
    assert.equal(tags.fnmatch("*a".repeat(50) + "b")("a".repeat(5000)), false);
  });

  test("regex matches from the start, with Python's named groups", () => {
    assert.equal(tagMatcher("salt/(?P<kind>job|run)/", "regex")("salt/run/1"), true);
    assert.equal(tagMatcher("job|run", "regex")("salt/run"), false);
    assert.throws(() => tagMatcher("(", "regex"), SyntaxError);
  });

  test("an unknown match type is refused, also a name of Object.prototype", () => {
    for (const type of ["glob", "constructor", "__proto__"]) {
      assert.throws(() => tagMatcher("x", type), { name: "TypeError", message: /startswith, endswith/ });
    }
  });
});
