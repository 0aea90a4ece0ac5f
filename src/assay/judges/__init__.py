"""Model judges: versioned forms, the calls and answers of a judge, and the linter of forms.

from assay.judges import judge_form
form = judge_form("faithfulness")
form.schema(form.names)
"""

from __future__ import annotations

from assay.judges.form import Criterion, JudgeForm, built_in, judge_form

__all__ = ["Criterion", "JudgeForm", "built_in", "judge_form"]
