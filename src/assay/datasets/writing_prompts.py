"""WritingPrompts: stories for prompts, in three lengths (DeLucia et al. 2021)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from assay.datasets.base import Card, Dataset, SplitFile, gem_id
from assay.datasets.record import Record, Report
from assay.datasets.sources import parallel_lines
from assay.errors import AssayError
from assay.records import Example

BREAK = "<newline>"
TAG = re.compile(r"^\[ ?(\w+) ?\]\s*")
LIMITS = {"small": (1, 100), "medium": (3, 256), "large": (0, 1024)}
"""Paragraphs of a story (0: all) and its maximum number of words, by length."""
FOLDERS = ("", "writingPrompts/")


def story(text: str, length: str) -> str:
    """Return the first paragraphs of a story, as lines; repeated line breaks count once."""
    paragraphs, limit = LIMITS[length]
    lines = [" ".join(line.split()) for line in text.split(BREAK)]
    kept: list[str] = []
    for line in [line for line in lines if line][: paragraphs or None]:
        words = line.split(" ")[:limit]
        limit -= len(words)
        kept += [" ".join(words)] if words else []
    return "\n".join(kept)


@dataclass(frozen=True)
class WritingPrompts(Dataset):
    length: Literal["small", "medium", "large"] = "medium"
    """How much of a story is read: the first paragraph (100 words), three (256 words) or all (1,024 words)."""
    tags: str = "WP"
    """Tags of the prompts to read, separated by commas; others are dropped."""

    name: ClassVar = "writing_prompts"
    patterns: ClassVar = {
        split: tuple(f"{folder}{own}.wp_source" for folder in FOLDERS)
        for split, own in (("train", "train"), ("validation", "valid"), ("test", "test"))
    }
    card: ClassVar = Card(
        title="WritingPrompts",
        task="story generation",
        goal="an interesting story for a prompt",
        languages=("en",),
        sizes={"train": 272_600, "validation": 15_620, "test": 15_138},
        licence="none stated; texts of Reddit users, not screened for offensive content",
        references="1",
        input_type="prompt",
        suite="default",
        source="https://dl.fbaipublicfiles.com/fairseq/data/writingPrompts.tar.gz",
        files="{train,valid,test}.wp_source next to .wp_target of the archive",
        notes=(
            "the sizes are those of all prompts; `tags=WP` keeps about 85 % of them",
            "texts stay tokenised as published; <newline> becomes a line break, repeated ones count once",
            "`length` counts words, the study tokens of GPT-2",
            "train with the prompt of the study: `causal:narrative-gpt2`, or `prompt=narrative` for any causal model",
        ),
        citation="Fan, Lewis, Dauphin: Hierarchical Neural Story Generation (2018)",
    )  # fmt: skip

    def read_file(self, file: SplitFile, report: Report) -> Iterator[Example]:
        target = file.path.with_suffix(".wp_target")
        if not target.is_file():
            raise AssayError(f"{target}: missing; {self.name} needs {self.card.files}")
        records = parallel_lines({"prompt": file.path, "story": target})
        return report.checked(records, lambda record: self._examples(record, file, report))

    def _examples(self, record: Record, file: SplitFile, report: Report) -> Iterator[Example]:
        prompt = " ".join(record.text("prompt").split())
        tag = match[1].upper() if (match := TAG.match(prompt)) else ""
        text = story(record.text("story", empty=True), self.length)
        if tag not in {one.strip().upper() for one in self.tags.split(",")}:
            report.drop(f"prompts with another tag than {self.tags}")
        elif not text:
            report.drop("prompts without a story")
        else:
            yield Example(
                id=gem_id(self.name, file.split, record.index), source=TAG.sub("", prompt), references=(text,),
                language="en", split=file.split, tags={"tag": tag},
            )  # fmt: skip

    def _compare_sizes(self, report: Report) -> None:
        """Sizes are not compared: the published ones count prompts of all tags."""
