/**
 * What goes by a name among runners or returners: the file of that name, unless it goes by another one, else whichever
 * goes by it.
 */
export async function moduleNamed<Family extends "runner" | "returner", Module extends { name?: string }>(
  registry: Readonly<Record<string, () => Promise<Record<Family, Module>>>>,
  family: Family,
  name: string,
): Promise<Module | undefined> {
  const others = Object.keys(registry).filter((file) => file !== name);
  for (const file of Object.hasOwn(registry, name) ? [name, ...others] : others) {
    try {
      const module = (await registry[file]!())[family];
      if ((module.name ?? file) === name) return module;
    } catch (error) {
      // What is wrong with another file is no answer to who asks for this one.
      if (file === name) throw error;
    }
  }
  return undefined;
}
