// Okabe and Ito's colours, which people with colour-blindness can tell apart. Dashes are the second cue.

export const HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b38600", "#56b4e9", "#7f7f7f"] as const;
const [BLUE, ORANGE] = HUES;
export const DASHES = ["", "6 3", "2 3", "8 3 2 3"] as const;

export interface Ink {
  hue: string;
  dash: string;
}

/** The first seven get plain colours, the next seven the same colours dashed, and so on. */
export function ink(place: number): Ink {
  return {
    hue: HUES[place % HUES.length] ?? BLUE,
    dash: DASHES[Math.floor(place / HUES.length) % DASHES.length] ?? "",
  };
}

/** Blue below zero, orange above: a difference as a colour, strength by its share of the largest. */
export function diverging(share: number): string {
  const strength = Math.min(1, Math.abs(share)) * 85;
  return `color-mix(in srgb, ${share < 0 ? BLUE : ORANGE} ${strength.toFixed(0)}%, var(--paper))`;
}

/** A colour of the page as it is now, light or dark, for a canvas: it knows no variables. */
export function themed(variable: string): string {
  const probe = document.createElement("i");
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
