import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Store } from "./store.ts";

export const StoreContext = createContext<Store | undefined>(undefined);

/** The store of the page. @throws {TypeError} outside of a `StoreContext.Provider` */
export function useStore(): Store {
  const store = useContext(StoreContext);
  if (store === undefined) throw new TypeError("useStore() needs a StoreContext around it");
  return store;
}
