// The theme: that of the system, or the reader's choice, which is kept.

const KEY = "assay-theme";
const NEXT: Record<string, string> = { "": "dark", dark: "light", light: "" };

function chosen(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return document.documentElement.dataset["theme"] ?? ""; // storage is forbidden: the choice lasts for this page
  }
}

export function applyTheme(theme = chosen()): void {
  if (theme in NEXT && theme) document.documentElement.dataset["theme"] = theme;
  else delete document.documentElement.dataset["theme"];
}

export function nextTheme(): void {
  const theme = NEXT[chosen()] ?? "";
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // the page has it all the same
  }
  applyTheme(theme);
}
