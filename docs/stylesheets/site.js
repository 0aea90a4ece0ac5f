// Repairs what the theme draws, after each time it has drawn a page.
const repair = () => {
  // The button that copies a block of code is in a landmark of its own, without a name: it is none.
  for (const nav of document.querySelectorAll("nav.md-code__nav:not([role])")) nav.setAttribute("role", "none");
  // A block of code scrolls where the window is narrow; the theme looks at its width only while it is in sight.
  for (const code of document.querySelectorAll("pre > code:not([tabindex])")) code.tabIndex = 0;
};
const changes = { childList: true, subtree: true, attributes: true, attributeFilter: ["tabindex"] };
new MutationObserver(repair).observe(document.body, changes);
repair();
