// Okabe and Ito's colour-blind-safe palette. Dashes are the second cue.

export const HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b38600", "#56b4e9", "#8f7ae5"] as const;
/** The colour of everything that is no system of these results. */
export const NEUTRAL = "#7f7f7f";
export const DASHES = ["", "6 3", "2 3", "8 3 2 3"] as const;

export interface Ink {
  hue: string;
  dash: string;
}

/** Return colour and dash pattern: the first seven are solid, the next seven dashed, and so on. */
export function ink(place: number): Ink {
  return {
    hue: HUES[place % HUES.length] ?? NEUTRAL,
    dash: DASHES[Math.floor(place / HUES.length) % DASHES.length] ?? "",
  };
}

/** Return the ink of a system, the same on every page; grey for a name without a run. */
export function inkOf(systems: readonly string[], name: string): Ink {
  const place = systems.indexOf(name);
  return place < 0 ? { hue: NEUTRAL, dash: "" } : ink(place);
}

/** Return the colours of two systems that are compared; the second is grey if both would be the same. */
export function pairOf(systems: readonly string[], a: string, b: string): [string, string] {
  const [first, second] = [inkOf(systems, a).hue, inkOf(systems, b).hue];
  return [first, first === second ? NEUTRAL : second];
}

/** Return a colour mixed with that of the page: stronger for larger shares of the maximum. */
export function shade(share: number, hue: string): string {
  const strength = Math.min(1, Math.abs(share)) * 85;
  return `color-mix(in srgb, ${hue} ${strength.toFixed(0)}%, var(--paper))`;
}

/** Return a colour of the current theme for a canvas, which cannot use CSS variables. */
export function themed(variable: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
