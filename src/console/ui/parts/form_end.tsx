import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";

/** The last line of a form in a dialog: its problem, and its buttons. */
export function FormEnd(
  { problem, busy, label, onClose, dismiss = "Cancel", children }: {
    /** Why the form cannot be sent yet; undefined if it can. */
    problem: string | undefined;
    busy: boolean;
    /** The label of the button that sends the form. */
    label: string;
    onClose(): void;
    dismiss?: string;
    /** Further buttons. */
    children?: ComponentChildren;
  },
) {
  return (
    <div class="actions end">
      {problem !== undefined && <span class="hint grow cut" role="status" title={problem}>{problem}</span>}
      {children}
      <Button onClick={onClose}>{dismiss}</Button>
      <Button type="submit" kind="primary" disabled={problem !== undefined || busy}>{busy ? "…" : label}</Button>
    </div>
  );
}
