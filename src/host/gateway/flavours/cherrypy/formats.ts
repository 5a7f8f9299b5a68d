import type { BodyRules } from "../../wire/body_formats.ts";
import type { RepresentationRules } from "../../wire/representation.ts";

/** How `rest_cherrypy` reads bodies and writes values. */
export const BODY_RULES: BodyRules = { yamlInForms: true, plainTextMayBeAnything: true };
export const REPRESENTATION: RepresentationRules = { yamlFlow: false };
