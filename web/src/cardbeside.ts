// A card folded up beside the numbers it explains.

import { drawn } from "./cards";
import type { Data } from "./data";
import { h } from "./dom";
import type { Card } from "./types";

export async function cardBeside(data: Data, kind: Card["kind"], name: string): Promise<HTMLElement | null> {
  const card = (await data.cards().catch(() => [])).find((one) => one.kind === kind && one.name === name);
  return card ? h("details", { class: "beside" }, h("summary", {}, `About ${name}`), drawn(card)) : null;
}
