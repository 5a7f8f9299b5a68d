import { cleanPem } from "../../../protocol/crypto/rsa_key.ts";
import type { Load } from "../load.ts";
import type { MasterServices } from "../services.ts";

type Services = Pick<MasterServices, "keys" | "rotations">;

/**
 * The command `_key_rotation` of Brine minions, which change their keys in steps: `begin` is answered with a nonce, `offer` brings
 * the new key, and `done` asks under the new key whether it is the accepted one. A step that is refused is answered with `error`.
 */
export async function keyRotation(services: Services, load: Load, minion: string | undefined): Promise<unknown> {
  const { rotations, keys } = services;
  // Use the authenticated id: a field of the request could name another minion.
  if (minion === undefined) return { error: "not authenticated" };
  switch (load.step) {
    case "begin":
      return rotations.begin(minion);
    case "offer": {
      // The field is called `challenge` because the channel uses `nonce` itself.
      const { next, challenge, time, sig, proof } = load;
      const error = await rotations.offer(minion, { next, nonce: challenge, time, sig, proof });
      return error === undefined ? { ok: true } : { error };
    }
    case "done": {
      await keys.synced();
      const accepted = keys.read("accepted", minion);
      const isDone = accepted !== undefined && typeof load.next === "string" &&
        cleanPem(accepted) === cleanPem(load.next);
      return isDone ? { ok: true } : { error: "the new key is not the accepted one" };
    }
    default:
      return { error: "unknown step: expected begin, offer or done" };
  }
}
