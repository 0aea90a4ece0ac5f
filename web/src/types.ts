// What the pages read. Made from the structs in assay.explorer by tools/make_types.py; do not edit.

/** Descriptions of systems and datasets, by name. */
export interface About {
  systems: Record<string, string>;
  datasets: Record<string, string>;
}

/** Properties of all runs: one list per property, compact and fast to parse. */
export interface RunColumns {
  system: number[];
  dataset: number[];
  subset: string[];
  kind: string[];
  task: string[];
  language: string[];
  n: (number | null)[];
  parent: number[];
}

/** One metric of every run, and how to read it. */
export interface AxisColumn {
  name: string;
  label: string;
  labels: Record<string, string>;
  category: string;
  about: string;
  better: "higher" | "lower" | null;
  scale: number;
  digits: number;
  fraction: boolean;
  shown: boolean;
  size_dependent: boolean;
  values: (number | null)[];
  low: (number | null)[] | null;
  high: (number | null)[] | null;
  signatures: string[];
  signature: number[] | null;
  why: Record<string, string>;
}

/** Every run on every axis, with problems and caveats. */
export interface OverviewPage {
  title: string;
  version: string;
  systems: string[];
  datasets: string[];
  about: About;
  problems: string[];
  notes: string[];
  alarms: string[];
  stored: string[];
  judged: string[];
  dialogues: string[];
  runs: RunColumns;
  axes: AxisColumn[];
}

/** One metric of two systems. The difference is b - a. */
export interface ComparedMetric {
  label: string;
  a: number | null;
  b: number | null;
  difference: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  p_adjusted: number | null;
  n: number;
  significant: boolean;
  better: "a" | "b" | null;
  floor: boolean;
  items_needed: number | null;
  why?: string;
}

/** Paired tests of two systems on one dataset. */
export interface ComparisonPage {
  a: string;
  b: string;
  dataset: string;
  test: string;
  verdict: string;
  metrics: Record<string, ComparedMetric>;
  worth: string[];
  warnings: string[];
}

/** Each system on a challenge set compared with itself on the original items; empty for other datasets. */
export interface ParentsPage {
  dataset: string;
  comparisons: ComparisonPage[];
}

/** One metric of all systems on a dataset: the best, those not significantly different from it, and groups. */
export interface TableMetric {
  name: string;
  verdicts: Record<string, string>;
  groups: string[][];
}

/** Significance marks of one dataset's table. */
export interface TablePage {
  dataset: string;
  metrics: TableMetric[];
  notes: string[];
  n: number | null;
}

/** Part of an output, and how much it lowers the score of its sentence. */
export interface CostedText {
  text: string;
  cost: number;
}

/** A sentence of an output with its faithfulness; the concatenated pieces are the text. */
export interface CostedSentence {
  value: number;
  pieces: CostedText[];
}

/** One system's output for an example. */
export interface OutputShown {
  system: string;
  text: string | null;
  scores: Record<string, number | null>;
  faithful?: CostedSentence[];
}

/** A human judgement of one output on one criterion. */
export interface Judgement {
  id: string;
  system: string;
  annotator: string;
  criterion: string;
  value: number | string;
  unit?: string;
  seconds?: number | null;
  position?: number | null;
  pilot?: boolean;
  method?: string;
  question?: string;
  suggested?: boolean;
}

/** One turn of a chat. */
export interface ChatTurn {
  role: string;
  text: string;
  calls?: string[];
}

/** One retrieved context of an example, with its id. */
export interface Passage {
  id: string;
  text: string;
}

/** What only examples of chats, retrieval and questions have. */
export interface ExampleMore {
  messages?: ChatTurn[];
  contexts?: Passage[];
  expected?: unknown;
}

/** One example with all outputs and human judgements. */
export interface ExampleShown {
  id: string;
  source: string | null;
  input: Record<string, unknown> | null;
  references: string[];
  language: string | null;
  split: string | null;
  parent: string | null;
  tags: Record<string, string>;
  outputs: OutputShown[];
  judgements: Judgement[];
  more?: ExampleMore;
}

/** Some of the examples of a dataset. */
export interface ExamplePage {
  dataset: string;
  total: number;
  matching: number;
  offset: number;
  systems: string[];
  metrics: string[];
  tags: Record<string, string[]>;
  examples: ExampleShown[];
  notes: string[];
}

/** Histogram of the per-item differences `a - b` of one metric, over all items that both systems have a score of. */
export interface DifferencePage {
  dataset: string;
  metric: string;
  a: string;
  b: string;
  n: number;
  a_higher: number;
  b_higher: number;
  width: number;
  counts: number[];
}

/** Confidence intervals of the difference `a - b`, by subset and metric. */
export interface SubsetPage {
  dataset: string;
  a: string;
  b: string;
  subsets: Record<string, Record<string, [number, number]>>;
}

/** Points of the scatter plot: human judgements and every metric. */
export interface Points {
  id: string[];
  system: string[];
  human: number[];
  values: Record<string, (number | null)[]>;
}

/** A coefficient with its interval, or the reason why there is none. */
export interface Correlation {
  r: number | null;
  p: number | null;
  n?: number;
  low?: number | null;
  high?: number | null;
  raw?: number | null;
  why?: string;
}

/** Raw correlation, which includes differences between systems, and partial correlation controlled for system. */
export interface RawAndPartial {
  raw: Correlation;
  partial: Correlation | null;
}

/** One system: mean judgement with confidence interval, shared rank, and range of possible ranks. */
export interface Ranked {
  system: string;
  mean: number;
  low: number | null;
  high: number | null;
  rank: number;
  rank_low: number;
  rank_high: number;
  items: number;
  better: "higher" | "lower";
}

/** One coefficient of agreement. */
export interface Coefficient {
  value: number | null;
  low?: number | null;
  high?: number | null;
  why?: string;
}

/** Summary of one annotator. */
export interface Profile {
  judgements: number;
  mean: number | null;
  median_seconds: number | null;
  top_value: string | null;
  top_share: number | null;
}

/** Inter-annotator agreement. */
export interface Agreement {
  items: number;
  annotators: number;
  judgements: number;
  coefficients: Record<string, Coefficient>;
  leave_one_out: Record<string, number | null>;
  profiles: Record<string, Profile>;
  warnings: string[];
}

/** Choices between two classes: their number, and how many are wrong. */
export interface ConfusionCell {
  row: number;
  column: number;
  n: number;
  wrong: number;
}

/** Confusion matrix of one system. */
export interface Confusion {
  system: string;
  classes: string[];
  cells: ConfusionCell[];
}

/** A bias of a judge with its interval. */
export interface JudgeBias {
  name: string;
  about: string;
  value: number;
  low: number;
  high: number;
  significant: boolean;
}

/** Agreement of a judge with the human majority on the outputs of one system. */
export interface JudgeOnSystem {
  system: string;
  n: number;
  equal: number;
  low: number;
  high: number;
  mean_error: number | null;
}

/** Mean human value of the outputs to which a judge gave one value. */
export interface CalibrationStep {
  judge: number;
  human: number;
  n: number;
}

/** Validation of a model judge against the annotators of the same outputs. */
export interface JudgePage {
  judge: string;
  answer: string;
  reasons: string[];
  n: number;
  agreement: number | null;
  human_agreement: number | null;
  winning_rate: number | null;
  advantage: number | null;
  biases: JudgeBias[];
  systems: JudgeOnSystem[];
  calibration: CalibrationStep[];
  notes: string[];
}

/** Metrics and human judgements on one criterion; without judgements, confusion matrices of forced choices only. */
export interface HumanPage {
  dataset: string;
  criterion: string;
  criteria: string[];
  synthetic: boolean;
  n: number;
  metrics: string[];
  points: Points;
  correlations: Record<string, RawAndPartial>;
  williams: Record<string, Record<string, number | null>>;
  between: Record<string, Record<string, number>>;
  ablation: Record<string, Record<string, number | null>>;
  ranked: Ranked[];
  agreement: Agreement | null;
  confusions: Confusion[];
  judges: JudgePage[];
  warnings: string[];
}

/** A system and its evaluation setup. */
export interface DialogueSystem {
  name: string;
  setup: [string, string][];
}

/** A dialogue in the list. */
export interface DialogueEntry {
  id: string;
  turns: number;
  domains: string[];
  verdicts: Record<string, "inform" | "neither" | "success">;
}

/** All dialogues of a folder. */
export interface DialogueSet {
  name: string;
  systems: DialogueSystem[];
  dialogues: DialogueEntry[];
}

/** The user goal in one domain. */
export interface GoalShown {
  domain: string;
  wanted: [string, string][];
  requested: string[];
  fitting: number;
}

/** One slot of the belief state, and whether it is new in this turn. */
export interface StateSlot {
  domain: string;
  slot: string;
  value: string;
  new: boolean;
}

/** One offered entity. */
export interface Venue {
  id: string;
  name: string;
  fits: boolean;
}

/** Offers in one domain: the first entities, those that do not match the goal before others. */
export interface Offer {
  domain: string;
  total: number;
  fitting: number;
  venues: Venue[];
  new: boolean;
}

/** One response of a system, and the state after it. */
export interface TracedTurn {
  response: string;
  state: StateSlot[];
  domains: string[];
  offers: Offer[];
  provided: [string, string[]][];
}

/** One system's predictions for a dialogue. */
export interface TracedSystem {
  system: string;
  verdict: "inform" | "neither" | "success" | null;
  match: Record<string, boolean>;
  missing: Record<string, string[]>;
  turns: TracedTurn[];
  final: Offer[];
}

/** One dialogue, turn by turn, of all systems that predicted it. */
export interface DialoguePage {
  name: string;
  id: string;
  goals: GoalShown[];
  references: Record<string, string[]>;
  systems: TracedSystem[];
}

/** A section of a card. */
export interface CardSection {
  heading: string;
  text: string;
}

/** Description of a dataset, a system or a metric. */
export interface Card {
  kind: "dataset" | "metric" | "system";
  name: string;
  lead: string;
  facts: [string, string][];
  sections: CardSection[];
}

/** All data of the pages, as embedded in the one-file report. */
export interface Embedded {
  overview: OverviewPage;
  comparisons: ComparisonPage[];
  parents: ParentsPage[];
  tables: TablePage[];
  examples: Record<string, ExamplePage>;
  differences: DifferencePage[];
  subsets: SubsetPage[];
  correlations: HumanPage[];
  dialogue_sets: DialogueSet[];
  dialogues: DialoguePage[];
  cards: Card[];
}

/** Query of examples. `against` makes the measure a difference of two systems. */
export interface ExampleQuery {
  dataset: string;
  text?: string;
  where?: string[];
  metric?: string;
  system?: string;
  against?: string;
  low?: number;
  high?: number;
  order?: string;
  offset?: number;
  limit?: number;
  id?: string;
}
