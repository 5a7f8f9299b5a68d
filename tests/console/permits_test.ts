import assert from "node:assert/strict";
import { test } from "node:test";
import { offersPage, permits } from "../../src/console/permits.ts";

for (
  const { perms, fun = "key.accept", want } of [
    { perms: [], want: undefined },
    { perms: [".*"], want: false },
    { perms: [".*", "@wheel"], want: true },
    { perms: ["@wheels"], want: true },
    { perms: ["@runner", "@jobs"], want: false },
    { perms: ["@key"], want: true },
    { perms: ["@minions"], want: false },
    { perms: [{ "@wheel": ["key.acc.*"] }], want: true },
    { perms: [{ "@wheel": "key.accept" }], want: true },
    { perms: [{ "@wheel": ["accept"] }], want: false },
    { perms: [{ "@wheel": ["key.accept"] }], fun: "key.accept_dict", want: false },
    { perms: [{ "@key": ["accept"] }], want: true },
    { perms: [{ "@wheel": [{ "key.accept": { args: ["web.*"] } }] }], want: true },
    { perms: [{ "@wheel": ["(?P<python>key)"] }], want: true },
    { perms: [{ "web*": ["key.accept"] }], want: false },
    { perms: [null, 3, ["@wheel"]], want: false },
  ]
) {
  test(`permits() of ${fun} by ${JSON.stringify(perms)} is ${want}`, () => {
    assert.equal(permits(perms, "wheel", fun), want);
  });
}

for (
  const { perms, pages } of [
    { perms: [], pages: "fleet run jobs keys events automation issues access" },
    { perms: [".*", "@wheel", "@runner"], pages: "fleet run jobs keys events automation issues access" },
    { perms: ["test.*"], pages: "fleet run events automation issues" },
    { perms: [{ "web*": ["test.*"] }], pages: "fleet run events automation issues" },
    { perms: ["@jobs"], pages: "fleet jobs events issues" },
    { perms: [{ "@wheel": ["key.list_all"] }], pages: "fleet run keys events issues" },
    { perms: [{ "@runner": ["audit.list"] }], pages: "fleet run events issues access" },
  ]
) {
  test(`an account with ${JSON.stringify(perms)} is offered: ${pages}`, () => {
    const all = ["fleet", "run", "jobs", "keys", "events", "automation", "issues", "access"];
    assert.equal(all.filter((page) => offersPage(perms, page)).join(" "), pages);
  });
}
