/** The part of libyaml and PyYAML that refuses a document. */
export type YamlStage = "scanner" | "parser" | "composer" | "constructor";

/** The error of libyaml and PyYAML for a document, with character offsets. */
export class YamlProblem extends SyntaxError {
  readonly stage: YamlStage;
  readonly problem: string;
  readonly at: number | undefined;
  /** The construct that was being read, and where it began. */
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
