"""Normalisation of delexicalised responses to one set of placeholders, so that systems can be compared."""

from __future__ import annotations

import re

from assay.text.detokenize import detokenize

SLOT = re.compile(r"\[([\w\s\d]+)\](es|s|-s|-es|)")
DOMAINS = re.compile(r"^(?:value|restaurant|hotel|attraction|train|taxi|hospital|police|bus|booking|book)[_ ]")
PLACEHOLDERS = {
    "ADDRESS": ("address",), "AREA": ("area",), "DAY": ("day",), "FOOD": ("food",), "NAME": ("name",),
    "TIME": ("time", "arrive", "arriveby", "arrive by", "leave", "leaveat", "leave at", "duration"),
    "PLACE": ("place", "departure", "destination"), "PHONE": ("phone",), "POST": ("postcode", "post"),
    "PRICE": ("price", "pricerange", "price range", "entrance fee", "entrancefee"), "REFERENCE": ("reference", "ref"),
    "COUNT": ("count", "choice", "people", "stay", "stars"), "TYPE": ("type", "car"),
    "TRAINID": ("trainid",), "DEPARTMENT": ("department",), "INTERNET": ("internet",), "PARKING": ("parking",),
    "OPEN": ("open", "openhours"),
}  # fmt: skip
KNOWN = {name: placeholder for placeholder, names in PLACEHOLDERS.items() for name in names}
TRAIN_IDS = ("id", "value_id", "train_id", "train")
VENUE_IDS = ("hospital_id", "attraction_id", "restaurant_id", "hotel_id")
STARTS = re.compile(r"<(?:sos|go|bos)[^<>]*>|<eos[^<>]*>")


def placeholder_of(slot: str) -> str | None:
    """Return the common placeholder of a slot, or None for an unknown slot."""
    name = " ".join(slot.split())
    if name in TRAIN_IDS:
        return "TRAINID"
    return "ID" if name in VENUE_IDS else KNOWN.get(DOMAINS.sub("", name))


def normalise(response: str) -> str:
    """Return a response in lower case, detokenized, with common placeholders; unknown slots are deleted."""
    text = SLOT.sub(lambda match: placeholder_of(match[1]) or "", STARTS.sub("", response.lower()))
    return detokenize(" ".join(text.replace("-s", "").replace("-ly", "").split()))


def unknown_slots(response: str) -> list[str]:
    """Return the slots of a response without a common placeholder."""
    return [match[1] for match in SLOT.finditer(response.lower()) if placeholder_of(match[1]) is None]


def slots_in(normalised: str) -> set[str]:
    """Return the placeholders of a normalised response: the only words in capital letters."""
    return set(re.findall(r"[A-Z]{2,}", normalised))
