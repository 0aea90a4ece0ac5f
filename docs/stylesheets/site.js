// What the theme leaves to be mended after it has drawn a page, or drawn it again.
const scrolls = (element) => element.scrollWidth > element.clientWidth;
const mend = () => {
  // The button that copies a block of code is in a landmark of its own, without a name: it is none.
  for (const nav of document.querySelectorAll("nav.md-code__nav:not([role])")) nav.setAttribute("role", "none");
  // Code and tables that scroll in a narrow window do so by keyboard, too; the theme sees only what is in sight.
  for (const wide of document.querySelectorAll("pre > code, .md-typeset__scrollwrap"))
    if (scrolls(wide) && !wide.hasAttribute("tabindex")) wide.tabIndex = 0;
};
const changes = { childList: true, subtree: true, attributes: true, attributeFilter: ["tabindex"] };
new MutationObserver(mend).observe(document.body, changes);
addEventListener("resize", mend);
mend();
