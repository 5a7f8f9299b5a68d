/** The configuration of the first request in docs/api.md, read as a master reads it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gatewaySettings } from "../../src/host/gateway/mod.ts";
import { parseYaml } from "../../src/language/yaml/document.ts";
import { blocksOf } from "../docs/blocks.ts";

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const [configuration] = blocksOf("docs/api.md").filter(({ language }) => language === "yaml");

test("the first configuration of docs/api.md has all that it takes, on the loopback", () => {
  const opts = parseYaml(configuration!.text).value as Record<string, unknown>;
  const settings = gatewaySettings(opts, "rest_cherrypy");
  assert.equal(settings.host, "127.0.0.1");
  const { file } = opts.external_auth as { file: Record<string, unknown> };
  assert.ok(Array.isArray(file.ann));
  assert.ok(textOf("docs/api.md").includes(`umask 077; echo 'ann:secret' > ${file["^filename"]}`));
  // What the console asks for, by the clients that it names.
  const named = [...textOf("src/console/api.ts").matchAll(/client: "(\w+)"/g)].map(([, client]) => client!);
  assert.ok(named.length >= 4);
  for (const client of named) assert.ok(settings.clients.has(client), client);
});
