/** The external pillar `pillar_ldap`, compared with what real Salt made of the same directory. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { entriesOf, OrderedMap } from "../../src/language/python/values.ts";
import { pillarBed, type PillarCase, replaced } from "../support/pillar.ts";
import { noLdap, startLdap, type TestServer } from "../support/servers.ts";
import { canonical, type Json, unescape, vectors } from "../support/vectors.ts";

const recorded = vectors(
  "ext_pillar_servers/answers_ldap",
) as unknown as (PillarCase & { ldap: string; pillar: Json })[];

/** Where real Salt fails by an exception of its own: what is here instead. */
const OTHERWISE: Record<string, RegExp> = {
  "pillar_ldap: dict by an attribute": /\["ann",\[\{"map":\[\["dn","uid=ann,/,
  "pillar_ldap: dict by an attribute that some lack": /\["web1",\[/,
  "pillar_ldap: dict by an attribute with several values": /\["Ann,Annette",\[/,
  "pillar_ldap: split": /Cannot use the mode 'split' of "people": expected map or dict/,
  "pillar_ldap: no mode": /Cannot use the mode 'split' of "people": expected map or dict/,
  "pillar_ldap: no filter": /Cannot search for "people": it has no filter/,
  "pillar_ldap: an unknown search": /Cannot search for "gone": the configuration has no such map/,
};

describe("pillar_ldap", { skip: noLdap(), timeout: 120_000 }, () => {
  let server: TestServer | undefined;
  before(async () => {
    if (noLdap() === undefined) server = await startLdap(recorded[0]!.ldap);
  });
  after(async () => await server?.[Symbol.asyncDispose]());

  for (const { name, pillar, files, opts, request } of recorded) {
    test(`as real Salt's: ${name}`, async () => {
      using bed = await pillarBed({
        files: replaced(files, "{PORT}", String(server!.port)),
        opts,
        grains: { id: "web1" },
      });
      const compiled = canonical(new OrderedMap(entriesOf(await bed.compile(request))));
      const text = JSON.stringify(compiled);
      if (Object.hasOwn(OTHERWISE, name)) assert.match(text.replaceAll('\\"', '"'), OTHERWISE[name]!);
      else assert.deepEqual(compiled, canonical(unescape(pillar)));
      assert.ok(!`${text}${JSON.stringify(bed.records)}`.includes("hunter2"));
    });
  }

  for (const role of ["*)(uid=*", "x'\n  server: 10.0.0.1", "a\\2a", "a,dc=other"]) {
    test(`a grain never changes the configuration: ${JSON.stringify(role)}`, async () => {
      const line = `server: 127.0.0.1, port: ${
        server!.port
      }, dn: 'ou=people,dc=example,dc=com', mode: map, attrs: [uid]`;
      using bed = await pillarBed({
        files: { "ldap.yaml": `people: {${line}, filter: '(uid={{ role }})'}\nsearch_order: [people]\n` },
        opts: { ext_pillar: [{ pillar_ldap: "{ROOT}/ldap.yaml" }] },
        grains: { role },
      });
      assert.deepEqual(canonical(await bed.compile()), { map: [] });
      assert.ok(bed.records.some(({ message }) => message === "pillar_ldap: the configuration cannot be used"));
    });
  }
});
