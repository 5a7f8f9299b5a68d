import { messageOf } from "../base/errors.ts";
import { CommandExecutionError, type JobContext } from "../model/loader/family.ts";
import { Rendering } from "../model/loader/rendering.ts";
import { parseOrderedYaml } from "../language/yaml/ordered.ts";

/**
 * The pillar that a call gives encrypted (`pillar_enc`). One that is a single text is YAML once it is decrypted.
 *
 * @param renderer the one that decrypts: `gpg`
 * @throws {CommandExecutionError} if it cannot be decrypted, or is no YAML
 */
export async function decryptedOverride(context: JobContext, pillar: unknown, renderer: string): Promise<unknown> {
  try {
    const plain = await new Rendering(context).decrypt(pillar, renderer, "pillar override");
    return typeof plain === "string" ? parseOrderedYaml(plain) : plain;
  } catch (error) {
    throw new CommandExecutionError(`Failed to decrypt pillar override: ${messageOf(error)}`, { cause: error });
  }
}
