// Repairs what the theme draws, after each time it has drawn a page.
const scrolls = (element) => element.scrollWidth > element.clientWidth;
const repair = () => {
  // The button that copies a block of code is in a landmark of its own, without a name: it is none.
  for (const nav of document.querySelectorAll("nav.md-code__nav:not([role])")) nav.setAttribute("role", "none");
  // Code and tables that scroll in a narrow window do so by keyboard, too; the theme sees only what is in sight.
  for (const wide of document.querySelectorAll("pre > code, .md-typeset__scrollwrap"))
    if (scrolls(wide) && !wide.hasAttribute("tabindex")) wide.tabIndex = 0;
};
const changes = { childList: true, subtree: true, attributes: true, attributeFilter: ["tabindex"] };
new MutationObserver(repair).observe(document.body, changes);
addEventListener("resize", repair);
repair();
