/** What a user at a terminal logs in with. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProgramContext } from "../../../cli/program/context.ts";
import { credentialsOf } from "../../../cli/program/credentials.ts";
import { Exit } from "../../../cli/program/exit.ts";
import type { LocalClient } from "../../../src/client/local_client.ts";
import type { MasterOpts } from "../../../src/model/config/master_opts.ts";

async function given(eauth: string, external_auth: Record<string, unknown> = {}, exitCode?: number) {
  let printed = "";
  const opts = { external_auth } as unknown as MasterOpts;
  const context = {
    options: { eauth, username: "ann", password: "secret" },
    print: (text: string) => void (printed += text),
  } as unknown as ProgramContext;
  const result = await credentialsOf(context, opts, {} as LocalClient, exitCode).catch((error) => error);
  return { printed, result };
}

test("a backend that does not exist is named before a password is asked for; salt ends with 2, salt-key and salt-run with 0", async () => {
  for (const [exitCode, expected] of [[undefined, 2], [0, 0]]) {
    const { printed, result } = await given("wrong", {}, exitCode);
    assert.match(
      printed,
      /^The specified external authentication system "wrong" is not available\nAvailable eauth types: auto, file, /,
    );
    assert.ok(result instanceof Exit);
    assert.equal(result.exitCode, expected);
  }
});

test("backends of Salt, and those that the master's configuration names, are left to the master", async () => {
  for (const [eauth, external_auth] of [["pam"], ["keystone"], ["mine", { mine: {} }]] as const) {
    const { printed, result } = await given(eauth, external_auth);
    assert.equal(printed, "");
    assert.deepEqual(result, { eauth, username: "ann", password: "secret" });
  }
});
