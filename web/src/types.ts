// What the pages read: the board, comparisons, examples, people, cards. Python writes exactly this.

export interface Axis {
  name: string;
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

export interface Board {
  title: string;
  version: string;
  systems: string[];
  datasets: string[];
  about: { systems: Record<string, string>; datasets: Record<string, string> };
  problems: string[];
  notes: string[];
  rooms: string[];
  people: string[];
  lines: {
    system: number[];
    dataset: number[];
    subset: string[];
    kind: string[];
    task: string[];
    language: string[];
    n: (number | null)[];
    parent: number[];
  };
  axes: Axis[];
}

export interface Compared {
  a: number | null;
  b: number | null;
  difference: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  p_adjusted: number | null;
  n: number;
  items_needed: number | null;
  why?: string;
}

export interface Comparison {
  a: string;
  b: string;
  dataset: string;
  test: string;
  metrics: Record<string, Compared>;
  warnings: string[];
}

export interface OutputShown {
  system: string;
  text: string | null;
  scores: Record<string, number | null>;
}

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
  judgements: JudgementShown[];
}

export interface JudgementShown {
  system: string;
  annotator: string;
  criterion: string;
  value: number | string;
  unit?: string;
}

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

export interface Correlation {
  r: number | null;
  p: number | null;
  low?: number | null;
  high?: number | null;
  raw?: number | null;
  why?: string;
}

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

export interface Agreement {
  items: number;
  annotators: number;
  judgements: number;
  coefficients: Record<string, { value: number | null; low?: number | null; high?: number | null; why?: string }>;
  leave_one_out: Record<string, number | null>;
  profiles: Record<string, Record<string, unknown>>;
  warnings: string[];
}

export interface Confusion {
  system: string;
  classes: string[];
  cells: { row: number; column: number; n: number; wrong: number }[];
}

export interface People {
  dataset: string;
  criterion: string;
  criteria: string[];
  made_up: boolean;
  n: number;
  metrics: string[];
  points: { id: string[]; system: string[]; human: number[]; values: Record<string, (number | null)[]> };
  correlations: Record<string, { raw: Correlation; partial: Correlation | null }>;
  williams: Record<string, Record<string, number | null>>;
  between: Record<string, Record<string, number>>;
  ablation: Record<string, Record<string, number | null>>;
  ranked: Ranked[];
  agreement: Agreement | null;
  confusions: Confusion[];
  warnings: string[];
}

export interface Card {
  kind: "dataset" | "system" | "metric";
  name: string;
  lead: string;
  facts: [string, string][];
  sections: { heading: string; text: string }[];
}
