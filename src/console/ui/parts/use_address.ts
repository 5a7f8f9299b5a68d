import { useEffect } from "preact/hooks";
import { useStore } from "../store/store_context.ts";

/** The time without typing before the address changes, in milliseconds: browsers refuse too frequent changes. */
const TYPING_MS = 200;

/** Keeps the state of a page in its address, without empty values. */
export function useAddress(query: Readonly<Record<string, string>>): void {
  const store = useStore();
  useEffect(() => {
    const timer = setTimeout(() => store.show(query), TYPING_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify(query)]);
}
