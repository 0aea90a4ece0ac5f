// Words and sentences in any script, and word-level differences of two texts.

export interface Token {
  text: string;
  word: boolean;
}

const words = new Intl.Segmenter(undefined, { granularity: "word" });
const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });

export function tokens(text: string): Token[] {
  return [...words.segment(text)].map(({ segment, isWordLike }) => ({ text: segment, word: Boolean(isWordLike) }));
}

export function sentencesOf(text: string): string[] {
  return [...sentences.segment(text)].map(({ segment }) => segment).filter((segment) => segment.trim());
}

export type Change = "same" | "new" | "gone";

export interface Piece {
  text: string;
  change: Change;
}

const LONGEST = 1200;

/** Return words with the space that follows them, so that a space alone is never "same". */
function spaced(text: string): string[] {
  const merged: string[] = [];
  for (const token of tokens(text)) {
    if (merged.length && !token.text.trim()) merged[merged.length - 1] += token.text;
    else merged.push(token.text);
  }
  return merged;
}

/** Return word-level differences: what both texts have, what only `to` has, what only `from` has. */
export function difference(from: string, to: string): Piece[] | null {
  const [a, b] = [spaced(from), spaced(to)];
  const alike = (i: number, j: number) => a[i]?.trim() === b[j]?.trim();
  if (a.length > LONGEST || b.length > LONGEST) return null;
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      best[i * width + j] = alike(i, j)
        ? (best[(i + 1) * width + j + 1] ?? 0) + 1
        : Math.max(best[(i + 1) * width + j] ?? 0, best[i * width + j + 1] ?? 0);
    }
  }
  const pieces: Piece[] = [];
  const push = (text: string, change: Change) => {
    const last = pieces[pieces.length - 1];
    if (last?.change === change) last.text += text;
    else pieces.push({ text, change });
  };
  const gone = (i: number) => {
    // A word before which the other text has a space is not glued to the last one of this text.
    const apart = /\s$/.test(a[i - 1] ?? "") && !/\s$/.test(pieces[pieces.length - 1]?.text ?? " ");
    push(`${apart ? " " : ""}${a[i] ?? ""}`, "gone");
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && alike(i, j)) {
      push(b[j++] ?? "", "same");
      i++;
    } else if (i < a.length && (j >= b.length || (best[(i + 1) * width + j] ?? 0) >= (best[i * width + j + 1] ?? 0)))
      gone(i++);
    else push(b[j++] ?? "", "new");
  }
  return pieces;
}

/** Return the reference with the highest word F1 with a text; the first one in case of ties. */
export function closest(references: readonly string[], text: string): string | undefined {
  if (references.length < 2) return references[0];
  const bag = (content: string) => {
    const counts = new Map<string, number>();
    for (const token of tokens(content.toLowerCase()))
      if (token.word) counts.set(token.text, (counts.get(token.text) ?? 0) + 1);
    return counts;
  };
  const size = (counts: Map<string, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0);
  const own = bag(text);
  const shared = references.map((reference) => {
    const its = bag(reference);
    const both = [...own].reduce((sum, [word, n]) => sum + Math.min(n, its.get(word) ?? 0), 0);
    return (2 * both) / Math.max(1, size(own) + size(its));
  });
  return references[shared.indexOf(Math.max(...shared))];
}

/** Return a text in pieces: words that occur in the source are "same", others "new". */
export function against(source: string, text: string): Piece[] {
  const known = new Set(
    tokens(source.toLowerCase())
      .filter((token) => token.word)
      .map((token) => token.text),
  );
  const pieces: Piece[] = [];
  for (const token of tokens(text)) {
    const last = pieces[pieces.length - 1];
    const change: Change = token.word
      ? known.has(token.text.toLowerCase())
        ? "same"
        : "new"
      : (last?.change ?? "same");
    if (last?.change === change) last.text += token.text;
    else pieces.push({ text: token.text, change });
  }
  return pieces;
}

/** Return the share of a sentence's words that occur in the source. */
export function share(source: string, sentence: string): number | null {
  const known = new Set(
    tokens(source.toLowerCase())
      .filter((token) => token.word)
      .map((token) => token.text),
  );
  const own = tokens(sentence.toLowerCase()).filter((token) => token.word);
  return own.length ? own.filter((token) => known.has(token.text)).length / own.length : null;
}
