/** README's section on HTTP, read as a shell and a master read it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gatewaySettings } from "../../src/gateway/mod.ts";
import { parseYaml } from "../../src/yaml/document.ts";

const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** The commands of the section. */
function commands(): string {
  const readme = textOf("README.md");
  const section = readme.slice(readme.indexOf("## Over HTTP"), readme.indexOf("## In a browser"));
  return /```sh\n([\s\S]*?)```/.exec(section)![1]!;
}

test("README's HTTP configuration has all that it takes, on the loopback", () => {
  const text = /cat >> conf\/master <<EOF\n([\s\S]*?)\nEOF\n/.exec(commands())![1]!.replaceAll("$PWD", "/src");
  const opts = parseYaml(text).value as Record<string, unknown>;
  const settings = gatewaySettings(opts, "rest_cherrypy");
  assert.equal(settings.host, "127.0.0.1");
  const { file } = opts.external_auth as { file: Record<string, unknown> };
  assert.equal(file["^filename"], "/src/conf/users");
  assert.ok(Array.isArray(file.ann));
  // What the console asks for, by the clients that it names.
  const named = [...textOf("src/console/api.ts").matchAll(/client: "(\w+)"/g)].map(([, client]) => client!);
  assert.ok(named.length >= 4);
  for (const client of named) assert.ok(settings.clients.has(client), client);
});

test("README's commands make the user, start the master anew, and ask as that user", () => {
  const text = commands();
  const order = [
    "umask 077; echo 'ann:secret' > conf/users",
    "cat >> conf/master",
    "kill $(cat run/var/run/salt-master.pid",
    "npm run -s master -- -c conf -d",
    "npm run -s minion -- -c conf -d",
    "npm run -s api -- -c conf -d",
    "http://127.0.0.1:8000/run",
    "-d username=ann -d password=secret -d eauth=file",
  ];
  const places = order.map((part) => text.indexOf(part));
  assert.ok(places.every((place, at) => place >= 0 && place > (places[at - 1] ?? -1)), places.join(" "));
});
