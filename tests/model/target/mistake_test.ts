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
    { type: "compound", tgt: "web* and", want: /^Incomplete compound target: expected a term at its end$/ },
    { type: "compound", tgt: "web* or and", want: /^Did not expect "and" in a compound target$/ },
    { type: "ipcidr", tgt: "300.1.1.1", want: /^"300\.1\.1\.1" is neither an IP address nor a network/ },
    { type: "ipcidr", tgt: "10.0.0.1/8", want: /"10\.0\.0\.1\/8" is neither/ },
    { type: "ipcidr", tgt: "10.0.0.0/8" },
    { type: "ipcidr", tgt: "::1" },
    { type: "compound", tgt: "web* and S@10.0.0", want: /"10\.0\.0" is neither/ },
    { type: "compound", tgt: "S@10.0.0.0/8 or web1" },
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
    { tgt: "G@role:web and (web1", want: /"\(web1" is read as the id .* write blanks around parentheses/ },
    { tgt: "G@role:web and ( web1 or web2)", want: /"web2\)" is read as the id .* write blanks/ },
    { tgt: "E@web(1|2) or P@os:(Debian|Ubuntu) or ( web1 )" },
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
