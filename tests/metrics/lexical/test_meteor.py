"""METEOR compared with the original program, with NLTK, and computed by hand."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.metrics.lexical.meteor import STAGES, Meteor
from assay.metrics.lexical.meteor_alignment import Stages, aligned
from assay.metrics.lexical.meteor_data import MeteorData, find_wordnet, wordnet_synonyms
from assay.metrics.lexical.meteor_nltk import nltk_matches, nltk_score
from assay.metrics.lexical.meteor_paraphrases import paraphrases
from assay.models.code_digest import file_digest
from assay.records import Example, Items
from assay.stats.resample import all_items
from assay.text.meteor_words import ANY, BEFORE_NUMBERS, meteor_words
from tests.conftest import Call
from tests.support import items

PAIRS = [
    ("The storm closed the port of Wexley on Monday.", "On Monday a storm closed Wexley's port."),
    (
        "Mr. Ruiz said that repairs take six weeks, e.g. of the crane.",
        "Ruiz says: the repair of the crane takes 6 weeks!",
    ),
    (
        "Fishermen asked the council for help ... it did not answer",
        "The fishermen have asked for help; no answer came.",
    ),
    ("the the the the harbour the", "the harbour the the big harbour of the town the"),
    ("It's a well-known fact that U.S. ships don't wait.", "It is well known that ships of the U.S. do not wait."),
    ("", "Nothing was said."),
    ("Nothing was said.", "Nothing was said."),
    ("quick automobile purchase", "the car was bought rapidly"),
    ("a 1,200-tonne ship – “huge” – cost $3.5 million", "a ship of 1,200 tonnes ('huge') cost 3.5 million dollars"),
]


@pytest.fixture(scope="session")
def jar() -> Path:
    """The original program, if it can be run."""
    if shutil.which("java") is None:
        pytest.skip("no java: METEOR's original cannot be run (make java)")
    package = pytest.importorskip("pycocoevalcap", reason="pycocoevalcap, which brings METEOR's jar, is not installed")
    archive = Path(next(iter(package.__path__))) / "meteor" / "meteor-1.5.jar"
    if not archive.is_file():
        pytest.skip(f"{archive}: no such file")
    pytest.importorskip("Stemmer")
    return archive


def original(jar: Path, folder: Path, pairs: Sequence[tuple[str, ...]], *options: str) -> tuple[list[float], float]:
    """Return the scores of items and corpus; several references are consecutive in one file."""
    count = len(pairs[0]) - 1
    (folder / "outputs").write_text("".join(f"{pair[0]}\n" for pair in pairs), encoding="utf-8")
    (folder / "references").write_text("".join(f"{text}\n" for pair in pairs for text in pair[1:]), encoding="utf-8")
    files = [str(folder / name) for name in ("outputs", "references")]
    call = ["java", "-Xmx2G", "-Dfile.encoding=UTF-8", "-jar", str(jar), *files]
    done = subprocess.run([*call, *options, "-r", str(count)], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    single = [float(line.split("\t")[1]) for line in lines if line.startswith("Segment")]
    return single, float(next(line for line in lines if line.startswith("Final")).split()[-1])


def ours(metric: Meteor, pairs: Sequence[tuple[str, ...]]) -> tuple[list[float], float]:
    scored = items([pair[0] for pair in pairs], [list(pair[1:]) for pair in pairs])
    rows = metric.statistics(scored)
    return metric.per_example(rows)["meteor"].tolist(), float(metric.fold(rows, all_items(len(scored)))["meteor"][0])


def check(actual: tuple[list[float], float], wanted: tuple[list[float], float]) -> None:
    assert actual[0] == pytest.approx(wanted[0], abs=1e-9)
    assert actual[1] == pytest.approx(wanted[1], abs=1e-9)


@pytest.mark.parametrize("reached", [1, 2, 3])
def test_stages_of_the_original(jar: Path, tmp_path: Path, reached: int) -> None:
    weights = ("1.0", "0.6", "0.8")[:reached]
    arguments = ("-l", "en", "-norm", "-m", " ".join(STAGES[:reached]), "-w", " ".join(weights))
    check(ours(Meteor(data=str(jar), stages=STAGES[reached - 1]), PAIRS), original(jar, tmp_path, PAIRS, *arguments))  # type: ignore


@pytest.mark.slow
def test_all_of_the_original(jar: Path, tmp_path: Path) -> None:
    """With paraphrases and the best of two references."""
    two = [(output, reference, PAIRS[i - 1][1]) for i, (output, reference) in enumerate(PAIRS)]
    check(ours(Meteor(data=str(jar)), two), original(jar, tmp_path, two, "-l", "en", "-norm"))


@pytest.mark.slow
def test_real_summaries_as_the_original(jar: Path, tmp_path: Path, shared_data: Callable[[str], Path]) -> None:
    lines = shared_data("frank/texts.jsonl").read_text(encoding="utf-8").splitlines()[:120]
    rows = [json.loads(line) for line in lines]
    pairs = [(" ".join(row["summary"].split()), " ".join(row["reference"].split())) for row in rows]
    check(ours(Meteor(data=str(jar)), pairs), original(jar, tmp_path, pairs, "-l", "en", "-norm"))


FOREIGN = {
    "fr": ("Le port de Wexley est fermé lundi, l'orage l'a touché.", "L'orage ferme les ports de Wexley, ce lundi."),
    "de": ("Der Hafen wurde am Montag geschlossen, sagte Hr. Ruiz.", "Am Montag schloss man die Häfen, so Ruiz."),
    "es": ("El puerto cerró el lunes por las tormentas.", "La tormenta cerró los puertos el lunes."),
    "ru": ("Порт закрыли в понедельник из-за бурь.", "Буря закрыла порты в понедельник."),
    "nl": ("de haven werd op maandag gesloten", "de havens zijn maandag gesloten"),
    "sv": ("hamnen stängdes på måndagen", "hamnarna stängs på måndag"),
    "it": ("il porto chiude per le tempeste", "i porti chiudono per la tempesta"),
}


@pytest.mark.parametrize("language", FOREIGN)
def test_other_languages_by_form_and_stem(jar: Path, tmp_path: Path, language: str) -> None:
    pair = FOREIGN[language]
    weights = {"fr": "1.0 0.2", "es": "1.0 0.8", "de": "1.0 0.8"}.get(language, "1.0 0.5")
    norm = ["-norm"] if language in ("fr", "de", "es", "ru") else ["-lower"]
    arguments = ("-l", "se" if language == "sv" else language, *norm, "-m", "exact stem", "-w", weights)
    metric = Meteor(language=language, data=str(jar), stages="stem", function_words="english")  # as in its program
    check(ours(metric, [pair, pair[::-1]]), original(jar, tmp_path, [pair, pair[::-1]], *arguments))


@pytest.mark.parametrize("task", ["adq", "hter", "util", "li"])
def test_tasks_of_the_original(jar: Path, tmp_path: Path, task: Any) -> None:
    wanted = original(jar, tmp_path, PAIRS, "-l", "en", "-norm", "-t", task, "-m", "exact stem synonym")
    check(ours(Meteor(data=str(jar), task=task, stages="synonym"), PAIRS), wanted)


@pytest.mark.parametrize(("how", "flags"), [("nopunct", ["-norm", "-noPunct"]), ("lower", ["-lower"]), ("none", [])])
def test_tokenizations_of_the_original(jar: Path, tmp_path: Path, how: Any, flags: list[str]) -> None:
    wanted = original(jar, tmp_path, PAIRS, "-l", "en", *flags, "-m", "exact stem", "-w", "1.0 0.6")
    check(ours(Meteor(data=str(jar), norm=how, stages="stem"), PAIRS), wanted)


def test_synonyms_of_wordnet_are_those_of_the_original(jar: Path) -> None:
    folder = find_wordnet()
    if folder is None:
        pytest.skip("no WordNet (Debian: wordnet-base)")
    theirs, own = MeteorData(str(jar)).synonyms(), wordnet_synonyms(folder)
    assert theirs is not None
    words = (
        "car automobile cars purchase buy bought rapidly quickly big large ran running fast went hopeful dogs".split()
    )
    for one in words:
        for other in words:
            assert theirs.of(one).isdisjoint(theirs.of(other)) == own.of(one).isdisjoint(own.of(other)), (one, other)


def by_hand(**options: Any) -> Meteor:
    return Meteor(stages="exact", **options)


def test_one_pair_by_hand() -> None:
    """Five of six words match in two chunks: P 5/6, R 5/5; no list of function words."""
    output, reference = "on the mat sat the cat", "the cat sat on mat"
    actual = by_hand().per_example(by_hand().statistics(items([output], [reference])))
    precision, recall = 5 / 6, 1.0
    assert (actual["meteor.precision"][0], actual["meteor.recall"][0]) == pytest.approx((precision, recall))
    penalty = 0.6 * (4 / 5) ** 0.2  # the cat | sat | on | mat
    mean = 1 / (0.15 / precision + 0.85 / recall)
    assert actual["meteor"][0] == pytest.approx(mean * (1 - penalty))


def test_what_the_default_lacks_is_said(tmp_path: Path) -> None:
    made = items(["a cat"], [["a cat"]])
    (note,) = Meteor().notes(made)
    assert "function words of METEOR 1.5" in note
    assert "meteor:data=PATH" in note
    assert Meteor(stages="exact").notes(made) == []
    assert Meteor(variant="nltk").notes(made) == []
    assert "function words" in assay.score(["a cat"] * 3, ["a cat"] * 3, metrics="meteor").notes[-1]


def test_function_words_weigh_less(tmp_path: Path) -> None:
    (tmp_path / "function").mkdir()
    (tmp_path / "function" / "english.words").write_text("the\n", encoding="utf-8")
    metric = by_hand(data=str(tmp_path))
    actual = metric.per_example(metric.statistics(items(["the cat"], ["the dog"])))
    assert actual["meteor.precision"][0] == pytest.approx(0.25 / (0.75 + 0.25))
    assert metric.signature("1") != by_hand().signature("1")


def test_every_language_has_its_own_function_words(tmp_path: Path) -> None:
    (tmp_path / "function").mkdir()
    (tmp_path / "function" / "english.words").write_text("the\n", encoding="utf-8")
    (tmp_path / "function" / "german.words").write_text("der\n", encoding="utf-8")
    scored = items(["der Hafen"], ["der Markt"])
    for chosen, precision in (("own", 0.45), ("english", 0.5)):
        metric = by_hand(language="de", data=str(tmp_path), function_words=chosen)
        assert metric.per_example(metric.statistics(scored))["meteor.precision"][0] == pytest.approx(precision)


def test_a_set_is_scored_from_sums_not_by_a_mean() -> None:
    metric = by_hand()
    scored = items(["a b c d e f", "x", "u v"], ["a b c d e f", "y", "u w"])
    rows = metric.statistics(scored)
    assert metric.per_example(rows)["meteor"].tolist() == pytest.approx([1, 0, 0.5 * (1 - 0.6)])
    value = metric.fold(rows, all_items(3))["meteor"][0]
    assert value == pytest.approx(7 / 9 * (1 - 0.6 * (1 / 7) ** 0.2))  # the first item counts no chunk
    ci = assay.score(["a b c", "x", "a c"] * 9, ["a b c", "y", "a b"] * 9, metrics="meteor:stages=exact", ci=200)
    score = ci.scores["meteor"]
    assert score.low < score.value < score.high  # type: ignore[operator]


def test_fewest_chunks_win() -> None:
    outputs = ["the cat the dog".split(), [], ["a"]]
    references: list[list[list[str]]] = [["the dog the cat".split()], [["a"]], [[]]]
    rows = aligned(outputs, references, Stages(), frozenset())
    assert rows[:, 4].tolist() == [2, 0, 0]
    assert rows[:, 5].tolist() == [4, 0, 0]


def test_paraphrases_may_be_longer_on_one_side(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "paraphrase-en.gz", "wt", encoding="utf-8") as table:
        table.write("0.5\ngave up\nsurrendered\n0.1\nnever said\nnot here\n")
    metric = Meteor(data=str(tmp_path), stages="paraphrase")
    if why := metric.why_not():
        pytest.skip(why)
    table_read = paraphrases(tmp_path / "paraphrase-en.gz")
    assert (len(table_read.keys), sorted(table_read.lengths)) == (2, [1, 2])
    actual = metric.per_example(metric.statistics(items(["they surrendered"], ["they gave up"])))
    assert actual["meteor.precision"][0] == pytest.approx((1 + 0.6) / 2)
    assert actual["meteor.recall"][0] == pytest.approx((1 + 2 * 0.6) / 3)


def test_words() -> None:
    prefixes = {"Mr": ANY, "No": BEFORE_NUMBERS}
    text = "Mr. Ruiz (No. 5): “it's 1,200,5…”, U.S. co-op. No. Wait... etc. then"
    assert meteor_words(text, "en", prefixes) == (
        'mr. ruiz ( no. 5 ) : " it \'s 1,200,5 … " , us co op . no . wait ... etc. then'.split()
    )
    assert meteor_words("L'été, c'est l'homme", "fr", {}) == "l' été , c' est l' homme".split()
    assert meteor_words("a,b,c", "en", {}) == ["a", ",", "b,c"]  # the first comma hides the second


def test_languages_are_not_mixed(here: Callable[..., Call], tmp_path: Path) -> None:
    lines = [{"id": "1", "references": ["ein Haus"], "language": "de"}]
    (tmp_path / "e.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "o.jsonl").write_text('{"id": "1", "output": "ein Haus"}\n')
    call = here("score", tmp_path / "o.jsonl", "-e", tmp_path / "e.jsonl", "-m", "meteor:stages=exact,bleu", "--json")
    assert call.json["skipped"][0]["why"].endswith("use meteor:language=de")
    call = here(
        "score", tmp_path / "o.jsonl", "-e", tmp_path / "e.jsonl", "-m", "meteor:stages=exact:language=de", "--json"
    )
    assert call.json["scores"]["meteor"]["value"] == 1


@pytest.mark.parametrize(
    ("options", "languages", "message"),
    [
        ({}, ["zh"], "METEOR 1.5 does not support zh; omit these items"),
        (
            {},
            ["zh", "de"],
            "score de separately with meteor:language=de and --subset language=de; METEOR 1.5 does not support zh",
        ),
        ({}, ["en", "de"], "score de separately with meteor:language=de and --subset language=de"),
        ({"variant": "nltk"}, ["de"], "use meteor:language=de"),
    ],
)
def test_remedies_for_languages_can_be_followed(options: dict[str, Any], languages: list[str], message: str) -> None:
    made = tuple(Example(id=str(i), references=("x",), language=one) for i, one in enumerate(languages))
    why = Meteor(**options).unfit(Items(("x",) * len(made), made))
    assert why is not None
    assert why.endswith(message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "xx"}, "METEOR 1.5 supports en, cs"),
        ({"language": "fr", "task": "adq"}, "are for English"),
        ({"language": "fi", "norm": "norm"}, "not available for fi"),
        ({"data": "/no/such"}, "no such folder or jar"),
        ({"data": str(Path(__file__).parent)}, "contains neither the METEOR 1.5 jar nor its files"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(AssayError, match=message) as refused:
        Meteor(**options).signature("1")
    assert "\n" not in str(refused.value)


def test_a_lone_surrogate_is_a_word(tmp_path: Path) -> None:
    pytest.importorskip("Stemmer")
    with gzip.open(tmp_path / "paraphrase-en.gz", "wt", encoding="utf-8") as stream:
        stream.write("0.5\na cat\nthe cat\n")
    for metric in (Meteor(stages="stem"), Meteor(data=str(tmp_path))):
        rows = metric.statistics(items(["\ud800 cats"], ["\ud800 cat"]))
        assert metric.fold(rows, all_items(1))["meteor"][0] > 0.5


def test_synonyms_are_signed_by_the_files_that_are_read(tmp_path: Path) -> None:
    """Unpacked files take precedence over the jar; the signature covers both."""
    with zipfile.ZipFile(tmp_path / "meteor-1.5.jar", "w") as packed:
        packed.writestr("synonym/english.synsets", "cat\n1\n")
        packed.writestr("synonym/english.exceptions", "cat\ncats\n")
    metric = Meteor(data=str(tmp_path / "meteor-1.5.jar"), stages="synonym")
    signed = [metric.signature("1")]
    (tmp_path / "synonym").mkdir()
    for name, content in (("synsets", "cat\n1\n"), ("exceptions", "cat\ncats\n"), ("exceptions", "dog\ncats\n")):
        (tmp_path / "synonym" / f"english.{name}").write_text(content, encoding="utf-8")
        signed.append(metric.signature("1"))
    assert len({*signed}) == 4
    assert f"|synonyms:meteor-{file_digest(tmp_path / 'meteor-1.5.jar')}|" in signed[0]


def test_damaged_data_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "meteor-1.5.jar").write_bytes(b"PK broken")
    with pytest.raises(AssayError, match=r"cannot be read as METEOR 1\.5 data"):
        by_hand(data=str(tmp_path)).signature("1")
    (tmp_path / "meteor-1.5.jar").unlink()
    (tmp_path / "paraphrase-en.gz").write_bytes(b"no gzip")
    with pytest.raises(AssayError, match="cannot be read as a paraphrase table"):
        Meteor(data=str(tmp_path), stages="paraphrase").statistics(items(["a"], ["b"]))


@pytest.fixture(scope="module")
def nltk_wordnet(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The WordNet reader of NLTK over Debian's WordNet, without a list that scores do not depend on."""
    folder = find_wordnet()
    if folder is None:
        pytest.skip("no WordNet (Debian: wordnet-base)")
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        def map_wn(self, version: str = "wordnet") -> None:
            return None

    home = tmp_path_factory.mktemp("nltk")
    shutil.copytree(folder, home / "corpora" / "wordnet", symlinks=False)
    (home / "corpora" / "wordnet" / "lexnames").write_text("".join(f"{i:02d}\tlist.{i}\t1\n" for i in range(45)))
    nltk.data.path.append(str(home))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield Reader(str(home / "corpora" / "wordnet"), omw_reader=None)
    nltk.data.path.remove(str(home))


def test_as_nltk(nltk_wordnet: Any) -> None:
    from nltk.tokenize.destructive import NLTKWordTokenizer
    from nltk.translate.meteor_score import single_meteor_score

    from assay.text.treebank import treebank_words

    for texts in (*PAIRS, ("\"Don't,\" he said -- 'go'!", "cannot gonna 'tis more'n [x] <y> 5% `z` «q»", "it's (so.)")):
        for text in texts:
            assert treebank_words(text) == NLTKWordTokenizer().tokenize(text)
    for output, reference in PAIRS:
        one, two = ([word.lower() for word in treebank_words(text)] for text in (output, reference))
        assert nltk_score(one, two)[0] == pytest.approx(single_meteor_score(two, one, wordnet=nltk_wordnet), abs=1e-12)


def test_the_nltk_signature_identifies_wordnet() -> None:
    if find_wordnet() is None:
        pytest.skip("no WordNet here")
    assert "|synonyms:wordnet-" in Meteor(variant="nltk").signature("1")


def test_nltk_preset_is_a_mean() -> None:
    if why := Meteor(variant="nltk").why_not():
        pytest.skip(why)
    result = assay.score(["the cat sat", "x"], ["the cat sat", "y"], metrics="meteor:nltk")
    value = result.scores["meteor"].value
    assert value == pytest.approx((1 - 0.5 * (1 / 3) ** 3) / 2)
    assert "variant:nltk" in result.scores["meteor"].signature
    assert nltk_matches(["a", "a"], ["a"]) == [(1, 0)]


def test_rows_are_as_long_as_their_columns() -> None:
    scored = Items(("a",), (Example(id="1", references=("a", "b")),))
    rows = by_hand().statistics(scored)
    assert rows.values.shape == (1, len(by_hand().columns()))
    assert np.isfinite(rows.values).all()
