/** Which part of libyaml and PyYAML refuses a document. */
export type YamlStage = "scanner" | "parser" | "composer" | "constructor";

/** What libyaml and PyYAML say of a document, with offsets of characters in it. */
export class YamlProblem extends Error {
  readonly stage: YamlStage;
  readonly problem: string;
  readonly at: number | undefined;
  /** What was being read, and where that began. */
  readonly context: { text: string; at: number } | undefined;

  constructor(stage: YamlStage, problem: string, at?: number, context?: { text: string; at: number }) {
    super(problem);
    this.name = "YamlProblem";
    this.stage = stage;
    this.problem = problem;
    this.at = at;
    this.context = context;
  }
}
