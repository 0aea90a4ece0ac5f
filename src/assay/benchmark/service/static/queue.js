// Refreshes the list of submissions while the page is visible. Without this script, reload the page.
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
      // The server is unreachable; the next round retries.
    }
  }
  setTimeout(renew, 1500);
}

if (place) setTimeout(renew, 1500);
