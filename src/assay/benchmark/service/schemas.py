"""Request and response schemas of the API."""

from typing import Any

from pydantic import BaseModel, Field


class Problem(BaseModel):
    error: str


class FindingShape(BaseModel):
    task: str
    id: str | None
    problem: str
    remedy: str
    grave: bool


class ValidationShape(BaseModel):
    valid: bool
    findings: list[FindingShape]


class SubmissionShape(BaseModel):
    id: str
    benchmark: str
    version: str
    name: str
    system: str = Field(description="name in the results")
    public_name: str = Field(description="public name today; empty until the submission is scored")
    received: str
    anonymous: bool
    anonymous_until: str
    tasks: list[str]
    findings: list[FindingShape]
    state: str = Field(description="queued, scored, failed or withdrawn")
    error: str
    scores: dict[str, Any]
    held_back: dict[str, Any] | None = Field(description="scores of held-back metrics, for organisers only")
    position: int | None = Field(description="position in the queue")
    done: str | None


class SubmissionList(BaseModel):
    submissions: list[SubmissionShape]


class BenchmarkShape(BaseModel):
    name: str
    about: str
    public: bool
    versions: list[str]


class BenchmarkList(BaseModel):
    benchmarks: list[BenchmarkShape]


class VersionShape(BaseModel):
    benchmark: str
    version: str
    open: bool
    made: str
    manifest: dict[str, Any] = Field(description="without held-back metrics")


class ResultShape(BaseModel):
    system: str
    tasks: list[str]
    received: str
    scores: dict[str, Any]


class ResultList(BaseModel):
    results: list[ResultShape]


class CardShape(BaseModel):
    task: str
    markdown: str


class PersonShape(BaseModel):
    email: str
    name: str
    roles: dict[str, str] = Field(description="role by scope; the empty scope is the whole server")


class QueueShape(BaseModel):
    waiting: int
    running: int
    submissions: list[SubmissionShape]


class AuditEntry(BaseModel):
    id: str
    at: str
    email: str | None
    action: str
    object: str
    detail: dict[str, Any]


class AuditList(BaseModel):
    entries: list[AuditEntry]


class BenchmarkChange(BaseModel):
    public: bool


class VersionChange(BaseModel):
    open: bool


SUBMISSION_SCHEMA: dict[str, Any] = {
    "type": "object",
    "required": ["submission_name", "tasks"],
    "properties": {
        "submission_name": {"type": "string", "maxLength": 200},
        "param_count": {"type": "integer", "minimum": 0},
        "model_card": {"type": "string"},
        "description": {"type": "string"},
        "anonymous": {"type": "boolean"},
        "anonymous_until": {"type": "string", "format": "date"},
        "tasks": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "required": ["values"],
                "properties": {
                    "values": {"type": "array", "items": {"type": "string"}},
                    "keys": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    },
}
"""A submission in GEM's layout, as described in docs/submissions.md."""
BODY = {"requestBody": {"required": True, "content": {"application/json": {"schema": SUBMISSION_SCHEMA}}}}
