import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

type ButtonProps = {
  icon?: string;
  kind?: "plain" | "primary" | "danger" | "quiet";
  label?: string;
  children?: ComponentChildren;
  onClick?: (event: MouseEvent) => unknown;
  disabled?: boolean;
  pressed?: boolean;
  type?: "button" | "submit";
  title?: string;
  class?: string;
};

/** A button; `label` names a button that has only an icon. */
export function Button(
  { icon, kind = "plain", label, children, onClick, disabled, pressed, type = "button", title, class: more = "" }:
    ButtonProps,
) {
  return (
    <button
      type={type}
      class={`button ${kind} ${children === undefined ? "square" : ""} ${more}`}
      aria-label={label}
      title={title ?? label}
      aria-pressed={pressed}
      disabled={disabled}
      onClick={onClick}
    >
      {icon !== undefined && <Icon name={icon} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  );
}
