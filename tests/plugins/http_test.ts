import assert from "node:assert/strict";
import { test } from "node:test";
import { parseXml, xmlToMap } from "../../src/plugins/xml.ts";
import { kwargs, testMinion } from "../support/context.ts";
import { withServer } from "./salt_calls/scenario.ts";

test("http.query sends a test request to another address if the options say so", async () => {
  await withServer(async ({ open }) => {
    const minion = await testMinion();
    const got = await minion.value("http.query", `${open}/none`, kwargs({ test: true, test_url: `${open}/text` }));
    assert.deepEqual(got, { test: true, body: "héllo\n" });
  });
});

test("http.query refuses a proxy", async () => {
  const minion = await testMinion();
  const { error } = await minion.value("http.query", "https://127.0.0.1/", kwargs({ proxy_host: "x" })) as {
    error: string;
  };
  assert.match(error, /^Cannot use proxy_host/);
});

test("http.query returns the headers of the response on request", async () => {
  await withServer(async ({ open }) => {
    const minion = await testMinion();
    const got = await minion.value("http.query", `${open}/json`, kwargs({ headers: true })) as {
      headers: Record<string, string>;
    };
    assert.equal(got.headers["Content-Type"], "application/json");
  });
});

test("http.query ends with its job", async () => {
  await withServer(async ({ open }) => {
    const minion = await testMinion();
    const killed = new AbortController();
    const reason = new Error("killed");
    const job = minion.run("http.query", [`${open}/never`], { signal: killed.signal });
    killed.abort(reason);
    await assert.rejects(job, reason);
  });
});

test("http.wait_for_successful_query repeats until there is an answer", async () => {
  const minion = await testMinion();
  await withServer(async ({ open, closed }) => {
    const none = await minion.value(
      "http.wait_for_successful_query",
      `${closed}/`,
      kwargs({ wait_for: 0, request_interval: 0.001 }),
    );
    assert.deepEqual(none, { error: "[Errno 111] Connection refused" });
    assert.deepEqual(await minion.value("http.wait_for_successful_query", `${open}/text`), { body: "héllo\n" });
  });
});

for (
  const { text, want } of [
    { text: "<a>x</a>", want: { a: "x" } },
    { text: "<?xml version='1.0'?><!-- c --><n:a xmlns:n='u'><n:b/></n:a>", want: { b: null } },
    { text: "<a><b>1</b><b>2</b></a>", want: { b: ["1", { b: "2" }] } },
    { text: "<a><![CDATA[<&>]]>&#233;&#x41;&lt;</a>", want: { a: "<&>éA<" } },
    { text: "<a k=\">\"><b k='/'>x</b></a>", want: { b: "x" } },
  ]
) test(`xmlToMap(): ${text}`, () => assert.deepEqual(xmlToMap(parseXml(text)), want));

for (const text of ["", "text", "<a>", "<a></b>", "<a/><b/>", "</a>", `${"<a>".repeat(300)}${"</a>".repeat(300)}`]) {
  test(`parseXml() refuses ${text.slice(0, 12)}`, () => assert.throws(() => parseXml(text), SyntaxError));
}
