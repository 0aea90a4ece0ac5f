"""No request to any route causes a server error, whatever its role and content."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.studies.server.synthetic import Site, design_of, tasks_of

schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis")
Make = Callable[..., Site]
WHO = ["visitor", "annotator", "organiser", "token"]


def headers_of(site: Site, who: str) -> tuple[dict[str, str], str]:
    """Return the headers of a request, and the CSRF token of its forms."""
    from assay.serving.credentials import new_token
    from tests.support.signed_in import confirmed

    if who == "visitor":
        return {}, ""
    if who == "token":
        with site.served.database.write() as connection:
            person = confirmed(connection, "eve@example.org", {"": "owner"})
            return {"authorization": f"Bearer {new_token(connection, person, 'test', site.served.settings)}"}, ""
    if who == "annotator":
        annotator = site.person("anna")
        annotator.begin()
        client, csrf = annotator.client, annotator.csrf
    else:
        client = site.researcher()
        csrf = re.findall(r'name="csrf" value="([^"]+)"', client.get(f"/running/{site.study}").text)[0]
    return {"cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}, csrf


@pytest.mark.slow
@pytest.mark.parametrize("who", WHO)
def test_no_request_is_a_server_error(site: Make, who: str) -> None:
    made = site(design_of("likert"), tasks_of("likert", 3))
    made.served.requests.per_second = made.served.requests.size = 1e9
    made.served.sign_ins.per_second = made.served.sign_ins.size = 1e9
    headers, csrf = headers_of(made, who)
    for route in made.app.routes:  # pages are not in the OpenAPI description, but are tested, too
        route.include_in_schema = True
    schema = schemathesis.openapi.from_asgi("/openapi.json", made.app, headers={"Host": "127.0.0.1"})
    names = st.sampled_from([made.study, "nowhere", "a1"])

    asked = 0
    for operation in (each.ok() for each in schema.get_all_operations()):
        if "/studies" not in operation.path and "/running" not in operation.path:
            continue

        @settings(
            max_examples=5, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
        )
        @given(case=operation.as_strategy(), study=names)
        def check(case: Any, study: str) -> None:
            nonlocal asked
            asked += 1
            if case.path_parameters and "study" in case.path_parameters:
                case.path_parameters["study"] = study
            if csrf and isinstance(case.body, dict):
                case.body["csrf"] = csrf
            response = case.call(headers={**(case.headers or {}), **headers, "Host": "127.0.0.1"}, timeout=60)
            assert response.status_code < 500, (case.method, case.path, response.text[:300])

        check()
    assert asked > 60
    assert made.now().opened
