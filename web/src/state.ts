// The state of the page, all of it in the address: every state has a link, and "back" restores the one before.

export class Place {
  constructor(
    readonly page: string,
    readonly query: URLSearchParams,
  ) {}

  get(name: string, fallback = ""): string {
    return this.query.get(name) ?? fallback;
  }

  list(name: string): string[] {
    return this.query.getAll(name);
  }

  /** Return the same place with some parameters changed; null removes one, a list repeats it. */
  with(changes: Record<string, string | string[] | number | null | undefined>, page = this.page): Place {
    const query = new URLSearchParams(this.query);
    for (const [name, value] of Object.entries(changes)) {
      query.delete(name);
      if (Array.isArray(value)) for (const one of value) query.append(name, one);
      else if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
    }
    return new Place(page, query);
  }

  get address(): string {
    const query = this.query.toString();
    return `#/${this.page}${query ? `?${query}` : ""}`;
  }
}

export function here(): Place {
  const [page = "", query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return new Place(page || "overview", new URLSearchParams(query));
}

export function link(page: string, changes: Record<string, string | string[] | number | null>): string {
  return new Place(page, new URLSearchParams()).with(changes).address;
}

/** Change the address and redraw the page. */
export function go(place: Place): void {
  location.hash = place.address;
}

/** Store a state in the address without redrawing or a new history entry, for states that change while dragging. */
export function store(place: Place): void {
  history.replaceState(null, "", place.address);
}
