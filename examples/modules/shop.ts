/** An execution module in TypeScript: put it into `_modules` of the master's file_roots, then `salt '*' saltutil.sync_modules`. */

/** The part of the context that this module uses. */
interface Context {
  grains: Record<string, unknown>;
  pillar: { shop?: { prices?: Record<string, number> } };
  call(fun: string, positional?: unknown[], keyword?: Record<string, unknown>): Promise<unknown>;
}

/** Where there is no Linux, there is no shop. */
export const virtual = ({ grains }: Context) => grains.kernel === "Linux" || { unavailable: "shops run on Linux" };

/** `list` would be a fine name in Salt, and is one here; `delete` and the like are words of the language. */
export const aliases = { list_: "list", delete_: "delete" };

/**
 * The articles, by name.
 *
 *     salt '*' shop.list
 */
export function list_({ pillar }: Context): string[] {
  return Object.keys(pillar.shop?.prices ?? {}).sort();
}

/**
 * What some articles cost.
 *
 *     salt '*' shop.price apple pear discount=0.1
 */
export function price({ pillar }: Context, article: string, amount = 1, kwargs: { discount?: number } = {}): number {
  const each = pillar.shop?.prices?.[article];
  if (each === undefined) {
    throw Object.assign(new Error(`There is no article "${article}"`), { name: "CommandExecutionError" });
  }
  return each * amount * (1 - (kwargs.discount ?? 0));
}

/**
 * Takes articles away; says which.
 *
 *     salt '*' shop.delete apple pear
 */
export async function delete_(context: Context, ...articles: string[]): Promise<string[]> {
  return await context.call("test.echo", [articles]) as string[];
}
