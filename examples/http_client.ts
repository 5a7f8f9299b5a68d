/**
 * Runs a job through salt-api, ours or Salt's own, with nothing but `fetch`. To run it anywhere:
 *
 *     SALT_API=https://salt.example.com:8000 SALT_USER=ann SALT_PASSWORD=secret SALT_EAUTH=pam node examples/http_client.ts
 */
import process from "node:process";

const { SALT_API = "http://127.0.0.1:8000", SALT_USER, SALT_PASSWORD, SALT_EAUTH = "pam" } = process.env;

async function post(path: string, body: unknown, token = ""): Promise<Record<string, unknown>[]> {
  const response = await fetch(new URL(path, SALT_API), {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", "x-auth-token": token },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { return: Record<string, unknown>[] }).return;
}

const [login] = await post("/login", { username: SALT_USER, password: SALT_PASSWORD, eauth: SALT_EAUTH });
const token = String(login!.token);
// `full_return` adds the return code; a minion that did not return is `false`.
const [returns] = await post("/", [{ client: "local", tgt: "*", fun: "test.ping", full_return: true }], token);
for (const [id, result] of Object.entries(returns!)) {
  if (result === false) console.log(id, "did not return");
  else console.log(id, JSON.stringify(result));
}
await post("/logout", {}, token);
