/**
 * Runs a job through salt-api, Brine's or Salt's, from any machine, and follows its outcomes:
 *
 *     SALT_API=https://salt.example.com:8000 SALT_USER=ann SALT_PASSWORD=secret SALT_EAUTH=pam node examples/http_client.ts
 */
import process from "node:process";
import { codeOf, connect, messageOf } from "../mod.ts"; // or "brine/http", from npm

const { SALT_API = "http://127.0.0.1:8000", SALT_USER = "", SALT_PASSWORD = "", SALT_EAUTH = "pam" } = process.env;
const login = { username: SALT_USER, password: SALT_PASSWORD, eauth: SALT_EAUTH };

try {
  await using salt = await connect(SALT_API, { login });
  for await (const outcome of salt.run({ tgt: "*", fun: "test.ping" })) {
    if (outcome.kind === "returned") console.log(outcome.id, outcome.return);
    else console.log(outcome.id, outcome.kind);
  }
} catch (error) {
  // The code is stable: AUTHENTICATION, UNREACHABLE, MASTER_DOWN, … The message says what to do.
  console.error(codeOf(error), messageOf(error));
  process.exitCode = 1;
}
