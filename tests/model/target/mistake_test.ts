import assert from "node:assert/strict";
import { test } from "node:test";
import { targetDoubt, targetMistake } from "../../../src/model/target/mistake.ts";

for (
  const { type, tgt, want } of [
    { type: "glob", tgt: "web(*" },
    { type: "pcre", tgt: "web(", want: /./ },
    { type: "pcre", tgt: "web[0-9]+" },
    { type: "grain", tgt: "os", want: /a grain target is grain:value/ },
    { type: "grain_pcre", tgt: "os:(", want: /./ },
    { type: "pillar", tgt: "role", want: /a pillar target is pillar:value/ },
    { type: "pillar_pcre", tgt: "role:[", want: /./ },
    { type: "compound", tgt: "web* and", want: /./ },
    { type: "compound", tgt: "web* and E@(", want: /./ },
    { type: "compound", tgt: "web* and ( G@os:Debian", want: /./ },
    { type: "compound", tgt: "web* and not G@os:Debian" },
    { type: "compound", tgt: ["web*", "or", "db*"] },
    { type: "list", tgt: ["a"] },
  ] as { type: string; tgt: unknown; want?: RegExp }[]
) {
  test(`targetMistake(): ${type} ${JSON.stringify(tgt)}${want === undefined ? " can be read" : ""}`, () => {
    const why = targetMistake(tgt, type);
    if (want === undefined) assert.equal(why, undefined);
    else assert.match(why ?? "", want);
  });
}

for (
  const { tgt, want } of [
    { tgt: "g@os:Debian", want: /"g@os:Debian" is read as the id of a minion: did you mean "G@"/ },
    { tgt: "X@os:Debian", want: /expected one of G@, P@/ },
    { tgt: "web* adn db*", want: /"adn" .* did you mean "and"/ },
    { tgt: "web* AND db*", want: /"AND" .* did you mean "and"/ },
    { tgt: "web* && db*", want: /"&&" .* did you mean "and"/ },
    { tgt: "web1 or db1" },
    { tgt: "G@os:Debian and not web*" },
  ]
) {
  test(`targetDoubt(): ${tgt}`, () => {
    const doubt = targetDoubt(tgt, "compound");
    if (want === undefined) assert.equal(doubt, undefined);
    else assert.match(doubt ?? "", want);
  });
}
