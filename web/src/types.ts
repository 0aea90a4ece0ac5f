// What the pages read. Made from the structs in assay.explorer by tools/make_types.py; do not edit.

/** What folders say of what they hold, by name. */
export interface About {
  systems: Record<string, string>;
  datasets: Record<string, string>;
}

/** What every line is: one list a property, so that thousands of lines stay small and quick to parse. */
export interface LineColumns {
  system: number[];
  dataset: number[];
  subset: string[];
  kind: string[];
  task: string[];
  language: string[];
  n: (number | null)[];
  parent: number[];
}

/** One number of every line, and how to read it. */
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
  sized: boolean;
  values: (number | null)[];
  low: (number | null)[] | null;
  high: (number | null)[] | null;
  signatures: string[];
  signature: number[] | null;
  why: Record<string, string>;
}

/** Every line against every axis, with what a reader must know before believing them. */
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
  people: string[];
  dialogues: string[];
  lines: LineColumns;
  axes: AxisColumn[];
}

/** One number of two systems. The difference is b - a. */
export interface ComparedNumber {
  label: string;
  a: number | null;
  b: number | null;
  difference: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  p_adjusted: number | null;
  n: number;
  sure: boolean;
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
  metrics: Record<string, ComparedNumber>;
  warnings: string[];
}

/** Each system on a challenge set against itself on the items it was made from; empty for other sets. */
export interface ParentsPage {
  dataset: string;
  comparisons: ComparisonPage[];
}

/** One number of all systems on a dataset: who is best, who is not told apart from it, and the groups. */
export interface TabledNumber {
  name: string;
  verdicts: Record<string, string>;
  groups: string[][];
}

/** What a paper's table says of one dataset. */
export interface TablePage {
  dataset: string;
  numbers: TabledNumber[];
  notes: string[];
}

/** A stretch of an output, and what it takes away from the value of its sentence. */
export interface WeighedPiece {
  text: string;
  cost: number;
}

/** A sentence of an output, and how far the source supports it; pieces put together are the text. */
export interface WeighedSentence {
  value: number;
  pieces: WeighedPiece[];
}

/** What one system made of an example. */
export interface OutputShown {
  system: string;
  text: string | null;
  scores: Record<string, number | null>;
  faithful?: WeighedSentence[];
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
}

/** One example with what every system made of it and what people said. */
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

/** Judged texts as dots: what people said against every metric. */
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

/** Raw correlation tells systems apart too; the partial one holds the system constant. */
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
}

/** One coefficient of agreement. */
export interface Coefficient {
  value: number | null;
  low?: number | null;
  high?: number | null;
  why?: string;
}

/** What one annotator did. */
export interface Profile {
  judgements: number;
  mean: number | null;
  median_seconds: number | null;
  top_value: string | null;
  top_share: number | null;
}

/** Whether those who judged agreed. */
export interface Agreement {
  items: number;
  annotators: number;
  judgements: number;
  coefficients: Record<string, Coefficient>;
  leave_one_out: Record<string, number | null>;
  profiles: Record<string, Profile>;
  warnings: string[];
}

/** Choices between one class and another: how many, and how many of them wrong. */
export interface ConfusionCell {
  row: number;
  column: number;
  n: number;
  wrong: number;
}

/** Which classes one system mistakes for which. */
export interface Confusion {
  system: string;
  classes: string[];
  cells: ConfusionCell[];
}

/** Metrics against what people said on one criterion. Where nobody judged, forced choices may still be shown. */
export interface PeoplePage {
  dataset: string;
  criterion: string;
  criteria: string[];
  made_up: boolean;
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
  warnings: string[];
}

/** A system, and how it was judged. */
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

/** What the user wants in one domain. */
export interface GoalShown {
  domain: string;
  wanted: [string, string][];
  asked: string[];
  fitting: number;
}

/** What a system understood, and whether it did so only now. */
export interface StateSlot {
  domain: string;
  slot: string;
  value: string;
  new: boolean;
}

/** Something offered. */
export interface Venue {
  id: string;
  name: string;
  fits: boolean;
}

/** What stands offered in one domain; the first of many, those that do not fit the goal before others. */
export interface Offer {
  domain: string;
  total: number;
  fitting: number;
  venues: Venue[];
  new: boolean;
}

/** One answer of a system, and what stands after it. */
export interface TracedTurn {
  response: string;
  state: StateSlot[];
  domains: string[];
  offers: Offer[];
  provided: [string, string[]][];
}

/** What one system made of a dialogue. */
export interface TracedSystem {
  system: string;
  verdict: "inform" | "neither" | "success" | null;
  match: Record<string, boolean>;
  untold: Record<string, string[]>;
  turns: TracedTurn[];
  final: Offer[];
}

/** One dialogue, turn by turn, of all systems that took part in it. */
export interface DialoguePage {
  name: string;
  id: string;
  goals: GoalShown[];
  references: Record<string, string[]>;
  systems: TracedSystem[];
}

/** A paragraph of a card. */
export interface CardSection {
  heading: string;
  text: string;
}

/** What a dataset, a system or a metric is. */
export interface Card {
  kind: "dataset" | "metric" | "system";
  name: string;
  lead: string;
  facts: [string, string][];
  sections: CardSection[];
}

/** Everything the pages may ask for, as it stands inside the one-file report. */
export interface Embedded {
  overview: OverviewPage;
  comparisons: ComparisonPage[];
  parents: ParentsPage[];
  tables: TablePage[];
  examples: Record<string, ExamplePage>;
  people: PeoplePage[];
  dialogue_sets: DialogueSet[];
  dialogues: DialoguePage[];
  cards: Card[];
}

/** Which examples a reader asks for. `against` makes the measure a difference of two systems. */
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
