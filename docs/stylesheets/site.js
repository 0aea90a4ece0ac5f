// The theme puts the button that copies a block of code into a landmark of its own, without a name: it is none.
const plain = () => document.querySelectorAll("nav.md-code__nav").forEach((nav) => nav.setAttribute("role", "none"));
new MutationObserver(plain).observe(document.body, { childList: true, subtree: true });
plain();
