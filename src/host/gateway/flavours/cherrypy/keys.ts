import { isMinionId } from "../../../../base/minion_id.ts";
import { lowstates } from "../../commands/lowstate.ts";
import { runLowstates } from "../../commands/run_lowstate.ts";
import type { Call } from "../../requests/call.ts";
import type { Answer } from "../../requests/route.ts";
import { HttpError } from "../../wire/errors.ts";
import { fieldOf } from "../../wire/json.ts";
import { concat } from "../../../../runtime/bytes.ts";
import { TAR_BLOCK, tarFilling, tarHead } from "../../../../runtime/tar.ts";

/** The size to which an archive is padded, in bytes: twenty blocks, as tar does. */
const RECORD = 20 * TAR_BLOCK;

/** An archive of a few texts, mode 0644. @param seconds the time of the files, in seconds since the epoch */
function tar(files: readonly { name: string; text: string }[], seconds: number): Uint8Array<ArrayBuffer> {
  const parts = files.flatMap(({ name, text }) => {
    const body = new TextEncoder().encode(text);
    const head = tarHead(name, body.length, { seconds: Math.floor(seconds) });
    return [head, body, new Uint8Array(tarFilling(body.length))];
  });
  const size = parts.reduce((sum, part) => sum + part.length, 2 * TAR_BLOCK);
  const whole = Math.ceil(size / RECORD) * RECORD;
  return concat([...parts, new Uint8Array(whole - size + 2 * TAR_BLOCK)]);
}

/** `GET /keys` lists the keys, `GET /keys/<mid>` shows fingerprints. */
export async function keys(call: Call): Promise<Answer> {
  const match = call.params.mid ?? call.query.get("mid") ?? undefined;
  const low = match === undefined ? { fun: "key.list_all" } : { fun: "key.finger", match };
  const [result] = await runLowstates(call, [{ client: "wheel", ...low }]);
  return { value: { return: returnOf(result) ?? {} } };
}

/** Matches ids that can be used in a header as the name of a downloaded file. */
const PLAIN_ID = /^[!#-~]+$/;

/** `POST /keys`: makes and accepts a key pair, and returns both halves as an archive. */
export async function generateKeys(call: Call): Promise<Answer> {
  const [low] = lowstates(call.body.data);
  const { mid, ...rest } = low ?? {};
  if (!isMinionId(mid) || !PLAIN_ID.test(mid)) throw new HttpError(400, "mid is not the id of a minion");
  // Only credentials in the body count: a page of another site must not make keys with the browser's cookie.
  call.identity = undefined;
  const [result] = await runLowstates(call, [{ ...rest, id_: mid }], { client: "wheel", fun: "key.gen_accept" });
  const pair = returnOf(result);
  const text = (name: string) => String(fieldOf(pair, name) ?? "");
  const archive = tar(
    [{ name: "minion.pub", text: text("pub") }, { name: "minion.pem", text: text("priv") }],
    call.services.clock.now() / 1000,
  );
  return new Response(archive, {
    headers: {
      "Content-Type": "application/x-tar",
      "Content-Disposition": `attachment; filename="saltkeys-${mid}.tar"`,
      "Cache-Control": "no-cache",
    },
  });
}

const returnOf = (result: unknown) => fieldOf(fieldOf(result, "data"), "return");
