"""Abbreviations by language and by what can follow them, for sentence splitting.

Before a name or a number (`names`) an abbreviation never ends a sentence. Before a figure (`figures`) it does not
either, but in front of a word it is a word itself ("No."). Any other (`open`) ends one when the next word begins one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class Abbreviations(NamedTuple):
    """Abbreviations of a language in lower case without the last full stop, and words that start sentences."""

    names: frozenset[str]
    figures: frozenset[str]
    open: frozenset[str]
    starters: frozenset[str] = frozenset()
    """Words that show the start of a sentence after an abbreviation. Empty: any capitalised word does."""
    ordinals: bool = False
    """Whether `3.` is an ordinal number."""
    compounds: tuple[str, ...] = ()
    """Abbreviations before a digit that also end longer words: `Hauptstr. 12`."""
    common: frozenset[str] = frozenset()
    """Frequent words that identify the language, if there are no starters."""


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


ENGLISH = Abbreviations(
    names=_listed(
        "mr mrs ms messrs dr drs prof st mt ft rev fr hon gen maj col lt sgt cpl pvt capt cmdr adm brig gov sen rep "
        "reps pres supt det insp dep sec e.g i.e cf viz vs v al esp approx ca est"
    ),
    figures=_listed("no nos fig figs vol vols pp p art sect ch eq jan feb mar apr jun jul aug sep sept oct nov dec"),
    open=_listed(
        "inc ltd co corp bros cos plc dept univ assn etc jr sr esq ph.d m.d b.a m.a a.m p.m a.d b.c u.s u.k u.n e.u "
        "d.c u.s.a ave blvd rd hwy min max dist"
    ),
    starters=_listed(
        "a an the this that these those he she it they we you i his her its their our your my who what when where why "
        "how which whose in on at by for from to of with without after before since until while during under over "
        "between among against about as if but and or so yet nor although though because unless however meanwhile "
        "moreover then there here now today yesterday tomorrow later also even still only just once no not nobody "
        "nothing none some many most all both each every few several any other others another one two three four five "
        "six seven eight nine ten is are was were do does did has have had can could will would should may might must "
        "be according despite let's let it's he's she's they're we're i'm that's there's"
    ),
)
GERMAN = Abbreviations(
    names=_listed(
        "hr fr frl dr prof dipl ing mag st z.b d.h u.a z.t i.d.r o.ä v.a z.zt bzw ca vgl sog insb insbes evtl ggf "
        "inkl exkl zzgl bspw gem lt sen jun geb gest verh mio mrd tsd rd max min"
    ),
    figures=_listed(
        "nr nrn art abs s bd bde kap abb tab aufl jg str tel jan feb mär apr jun jul aug sep sept okt nov dez"
    ),
    open=_listed("usw etc u.s.w uvm co ff f jh jhd n.chr v.chr o.g"),
    starters=_listed(
        "der die das den dem des ein eine einen einem einer ich du er sie es wir ihr man mein dein sein unser euer "
        "ihre seine dieser diese dieses jener jene wer was wann wo warum wie welche welcher in im an am auf aus bei "
        "beim mit nach von vom vor zu zum zur über unter zwischen für gegen ohne um durch seit bis während wegen "
        "trotz und oder aber doch denn sondern wenn weil dass ob als obwohl damit dann danach dort hier heute gestern "
        "morgen nun jetzt auch noch nur schon sehr so kein keine niemand nichts alle alles viele einige manche andere "
        "beide jeder jede jedes zwei drei ist sind war waren hat haben hatte wird werden kann können soll muss dabei "
        "dazu davon darum außerdem jedoch mehr zuerst später"
    ),
    ordinals=True,
    compounds=("str",),
)
CZECH = Abbreviations(
    names=_listed(
        "dr mudr mvdr judr phdr rndr paeddr thdr ing mgr bc bca doc prof akad p pí sl např tzv tj tzn resp popř příp "
        "vč mj cca mil mld tis ul nám tř sv gen plk mjr kpt por npor st ml zvl event"
    ),
    figures=_listed("č čís str s obr tab odst čl sv roč tel r kap"),
    open=_listed("atd atp apod aj kč hod min a.s s.r.o n.l př.n.l"),
    ordinals=True,
    common=_listed(
        "a i o u k s z v ve se si je jsou byl byla bylo být na do od po pro při za že který která které když ale nebo "
        "jen jako už také podle má mají by jeho její ten ta to však už ještě"
    ),
)
RUSSIAN = Abbreviations(
    names=_listed(
        "ул пр просп пер пл наб бул д кв корп стр оф обл р-н пос дер с о им св проф акад доц инж тов гр гл ген полк "
        "май кап лейт т.е т.к т.н напр ср см т.о зам зав мин макс ок прибл"
    ),
    figures=_listed("рис табл стр с гл п пп ст ч т тт № разд"),
    open=_listed("г гг в вв т.д т.п др пр руб коп тыс млн млрд трлн км м см мм кг л га шт чел час сек н.э"),
)
SPANISH = Abbreviations(
    names=_listed(
        "sr sra srta sres dr dra drs prof profa d dña lic ing arq gral cnel cap tte sto sta fr mons excmo ilmo p.ej "
        "ej ee av avda c/ aprox vs cf"
    ),
    figures=_listed("pág págs p pp art arts núm nº n vol cap fig tel"),
    open=_listed("etc uu ee.uu s.a s.l cía a.m p.m d.c a.c ud uds vd"),
    starters=_listed(
        "el la los las un una unos unas lo yo tú él ella ello nosotros ellos ellas usted ustedes mi tu su sus este "
        "esta estos estas ese esa eso aquel aquella quien que qué cuándo cuando dónde donde por para en de del a al "
        "con sin sobre entre desde hasta tras según y o pero sino aunque porque si como no ni también además luego "
        "después entonces hoy ayer ahora aquí allí nadie nada todo todos muchos algunos otro otra cada dos tres es "
        "son era fue hay ha han se"
    ),
)
HINDI = Abbreviations(_listed("डॉ प्रो श्री सुश्री पं"), frozenset(), frozenset())
THAI = Abbreviations(_listed("ดร ผศ รศ พล.ต.อ พล.อ ร.ต พ.ศ ค.ศ ม.ร.ว ถ ซ กม ซม กก"), frozenset(), frozenset())

BY_LANGUAGE = {
    "en": ENGLISH, "de": GERMAN, "es": SPANISH, "cs": CZECH, "ru": RUSSIAN, "hi": HINDI, "th": THAI,
}  # fmt: skip
SCRIPTS = {"ru": re.compile("[а-яё]"), "th": re.compile("[ก-๙]"), "hi": re.compile("[ऀ-ॿ]")}
GUESSED_FROM = 4000
"""Number of characters that are used to identify the language."""


@lru_cache(maxsize=256)
def abbreviations(language: str) -> Abbreviations:
    """Return the abbreviations of a language by its code (`de`, `de-AT`); English ones if it has no list."""
    return BY_LANGUAGE[list_of(language)]


def list_of(language: str) -> str:
    """Return the language whose list is used."""
    code = language.replace("_", "-").split("-")[0].lower()
    return code if code in BY_LANGUAGE else "en"


def guessed(text: str) -> Abbreviations:
    """Return the abbreviations of the language of a text, by script or frequent words; English if unknown."""
    text = text[:GUESSED_FROM].lower()
    for language, script in SCRIPTS.items():
        if script.search(text):
            return BY_LANGUAGE[language]
    words = set(text.split())
    return max((ENGLISH, GERMAN, SPANISH, CZECH), key=lambda known: len(words & (known.common or known.starters)))
