import { useEffect } from "preact/hooks";
import { useStore } from "../store/store_context.ts";

/** Keeps what a page shows in its address. Values that are empty are left out. */
export function useAddress(query: Readonly<Record<string, string>>): void {
  const store = useStore();
  useEffect(() => store.show(query), [JSON.stringify(query)]);
}
