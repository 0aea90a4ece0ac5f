// Sections of a page as tabs. Without a script all sections are shown, and the links jump to them.
for (const nav of document.querySelectorAll("nav.sections")) {
  const links = [...nav.querySelectorAll("a[href^='#']")];
  const panelOf = (link) => document.getElementById(link.hash.slice(1))?.closest("[data-tab]");
  const show = () => {
    const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    const panel = target?.closest("[data-tab]") ?? panelOf(links[0]);
    for (const link of links) {
      const own = panelOf(link);
      if (!own) continue;
      own.hidden = own !== panel;
      if (own === panel) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if (target && target !== panel && panel.contains(target) && !links.some((link) => link.hash === location.hash))
      target.scrollIntoView();
    else if (target) scrollTo(0, 0);
  };
  addEventListener("hashchange", show);
  show();
}
