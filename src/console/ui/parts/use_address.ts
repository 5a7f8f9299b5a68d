import { useEffect } from "preact/hooks";
import { useStore } from "../store/store_context.ts";

/** Browsers refuse pages that change their address too often: not with each letter. */
const TYPING_MS = 200;

/** Keeps what a page shows in its address. Values that are empty are left out. */
export function useAddress(query: Readonly<Record<string, string>>): void {
  const store = useStore();
  useEffect(() => {
    const timer = setTimeout(() => store.show(query), TYPING_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify(query)]);
}
