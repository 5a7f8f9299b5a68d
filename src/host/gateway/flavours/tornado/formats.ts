import type { BodyRules } from "../../wire/body_formats.ts";
import type { RepresentationRules } from "../../wire/representation.ts";

/** How `rest_tornado` reads bodies and writes values. */
export const BODY_RULES: BodyRules = { yamlInForms: false, plainTextMayBeAnything: false };
export const REPRESENTATION: RepresentationRules = { yamlFlow: "leaves" };
