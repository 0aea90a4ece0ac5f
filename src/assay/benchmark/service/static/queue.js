// Keeps a list of submissions up to date while it is looked at. Without this script the page is loaded anew by hand.
const place = document.getElementById("live");

async function renew() {
  if (!document.hidden) {
    try {
      const answer = await fetch(place.dataset.from, { credentials: "same-origin" });
      if (answer.ok) {
        const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
        if (fresh && fresh.innerHTML !== place.innerHTML) place.replaceChildren(...fresh.childNodes);
      }
    } catch {
      // The server is away; the next round asks again.
    }
  }
  setTimeout(renew, 1500);
}

if (place) setTimeout(renew, 1500);
