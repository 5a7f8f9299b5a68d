import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

/** Shown instead of an empty list: why it is empty, and what to do. */
export function Empty({ icon, title, children }: { icon: string; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="muted">{children}</div>}
    </div>
  );
}
