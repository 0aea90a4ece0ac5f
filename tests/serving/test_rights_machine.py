"""Model check of accounts: no session has a right that its holder was not given.

A link may be used by its maker instead of its addressee: no mail is sent, and the server cannot tell the two apart.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule
from sqlalchemy import Connection, event, select

from assay.serving.accounts import RANKS, User, close_person, give_role, given_roles
from assay.serving.app import RefusedError
from assay.serving.credentials import (
    by_session,
    by_token,
    new_link,
    new_session,
    new_token,
    require_session,
    set_key,
    use_key,
    use_link,
)
from assay.serving.invitations import accept_account, invite_user, remove_role
from assay.serving.server import Server, open_server
from assay.serving.tables import audit, people, roles, sessions, sign_in_links, tokens
from tests.support.signed_in import confirmed

TIDES = "benchmark:tides"


@dataclass
class Held:
    """A credential, and the person who really holds it."""

    kind: str
    word: str
    holder: str
    account: str


# Repeated entries make the steps of an attack likely enough to follow one another.
ACTORS = st.sampled_from(["boss", "boss", "boss", "olga", "olga", "olga", "olga", "otto", "guest"])
PEOPLE = st.sampled_from(["guest", "guest", "guest", "guest", "guest", "olga", "otto", "boss"])
LOWERED = st.sampled_from(["olga", "olga", "olga", "otto", "guest"])
SCOPES = st.sampled_from([TIDES, TIDES, TIDES, ""])
NUMBERS = st.integers(0, 1)
USED = st.sampled_from(["", "addressee", "maker", "maker"])
START = {"boss": {"": "owner"}, "olga": {TIDES: "organiser"}, "otto": {TIDES: "organiser"}}
ROLES = st.sampled_from(list(RANKS))


@cache
def shared() -> Server:
    """Return one server for all examples: opening takes longer than an example."""
    server = open_server(Path(tempfile.mkdtemp()) / "server", None, "http://127.0.0.1")

    @event.listens_for(server.database.engine, "connect")
    def fast(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA synchronous=OFF")

    server.database.engine.dispose()
    return server


class Rights(RuleBasedStateMachine):
    """People who invite, sign in and change roles; a link is used by its addressee or by whoever made it."""

    links = Bundle("links")

    @initialize()
    def start(self) -> None:
        self.server = shared()
        self.held: list[Held] = []
        self.accounts: dict[str, str] = {}
        self.waiting: list[tuple[Held, User]] = []
        with self.server.database.write() as connection:
            for table in (people, roles, sessions, tokens, sign_in_links, audit):
                connection.execute(table.delete())
            for name, given in START.items():
                self.accounts[name] = confirmed(connection, f"{name}@example.org", given)
                self._keep("session", self._session(connection, name), name, name)

    def _session(self, connection: Any, name: str) -> str:
        return str(new_session(connection, self.accounts[name], self.server.settings))

    def _keep(self, kind: str, word: str | None, holder: str, account: str) -> None:
        if word:
            self.held.append(Held(kind, word, holder, account))

    def _user(self, connection: Any, held: Held) -> User | None:
        if held.kind == "key":
            return None
        return (by_token if held.kind == "token" else by_session)(connection, held.word)

    def _pick(self, kind: str, holder: str, number: int) -> Held | None:
        fitting = [each for each in self.held if (each.kind, each.holder) == (kind, holder)]
        return fitting[number % len(fitting)] if fitting else None

    @contextmanager
    def _acting(self, holder: str, number: int) -> Iterator[tuple[Connection, User, Held] | None]:
        """Open a transaction of one of the unlimited sessions of a person, if there is any."""
        held = self._pick("session", holder, number)
        with self.server.database.write() as connection:
            user = self._user(connection, held) if held else None
            yield None if held is None or user is None or user.limited else (connection, user, held)

    @contextmanager
    def _ends_access(self, connection: Connection, by: str, name: str, scope: str, role: str) -> Iterator[None]:
        """Assert that no session or token of an account outlives a higher role, or a link that somebody else made.

        It reads the tables, so that it fails also where such a session would be without roles.
        """
        person = self.accounts.get(name, "")
        before = given_roles(connection, person)
        links = self._valid(connection, person, sign_in_links.c.used)
        yield
        made = self._valid(connection, person, sign_in_links.c.used) - links
        if before is not None and (not before.may(role, scope) or (made and person != by)):
            left = self._valid(connection, person, sessions.c.ended) | self._valid(connection, person, tokens.c.ended)
            assert not left, (name, scope, role, before.roles)

    def _valid(self, connection: Connection, person: str, ended: Any) -> set[str]:
        query = select(ended.table.c.digest).where(ended.table.c.person == person, ended.is_(None))
        return set(connection.execute(query).scalars())

    @rule(
        target=links,
        by=ACTORS,
        number=NUMBERS,
        name=PEOPLE,
        scope=SCOPES,
        role=ROLES,
        used_by=USED,
    )
    def invite(self, by: str, number: int, name: str, scope: str, role: str, used_by: str) -> Held | None:
        """Invite or raise; the link is kept, or used at once by its addressee or its maker."""
        with self._acting(by, number) as acting:
            if acting is None:
                return None
            connection, user, held = acting
            try:
                with self._ends_access(connection, user.id, name, scope, role):
                    made = invite_user(connection, user, f"{name}@example.org", scope, role, self.server.settings)
            except RefusedError:
                return None
            self.accounts[name] = made.person
        link = Held("link", made.link, held.holder, name) if made.link else None
        if link is not None and used_by:
            self.use(link, used_by == "addressee")
            self._set_key(self.held[-1])
        return link

    @rule(target=links, name=PEOPLE, scope=SCOPES, role=ROLES)
    def command(self, name: str, scope: str, role: str) -> Held | None:
        """The operator gives a role and hands the link to its owner."""
        if name not in self.accounts:
            return None
        with self.server.database.write() as connection:
            with self._ends_access(connection, "", name, scope, role):
                give_role(connection, self.accounts[name], scope, role, "")
            return Held("link", new_link(connection, self.accounts[name], "", self.server.settings), name, name)

    @rule(link=links, own=st.booleans())
    def use(self, link: Held | None, own: bool) -> None:
        """The addressee or the maker of a link uses it."""
        if link is not None:
            with self.server.database.write() as connection:
                word = use_link(connection, link.word, self.server.settings)
            self._keep("session", word, link.account if own else link.holder, link.account)

    @rule(by=ACTORS, number=NUMBERS)
    def set_key(self, by: str, number: int) -> None:
        held = self._pick("session", by, number)
        if held is not None:
            self._set_key(held)

    def _set_key(self, held: Held) -> None:
        with self.server.database.write() as connection:
            user = self._user(connection, held)
            if user is not None:
                key, session = set_key(connection, user, self.server.settings)
                self._keep("key", key, held.holder, held.account)
                self._keep("session", session, held.holder, held.account)

    @rule(by=ACTORS, number=NUMBERS)
    def ask(self, by: str, number: int) -> None:
        """A request is authenticated; its transaction begins later."""
        held = self._pick("session", by, number)
        with self.server.database.read() as connection:
            user = self._user(connection, held) if held else None
        if held is not None and user is not None:
            self.waiting.append((held, user))

    @rule(key=st.booleans())
    def answer(self, key: bool) -> None:
        """The transaction of a request that was authenticated before makes a sign-in key or a token."""
        if not self.waiting:
            return
        held, user = self.waiting.pop()
        with suppress(RefusedError), self.server.database.write() as connection:
            if key:
                made, session = set_key(connection, user, self.server.settings)
                self._keep("key", made, held.holder, held.account)
                self._keep("session", session, held.holder, held.account)
            else:
                require_session(connection, user)
                self._keep(
                    "token", new_token(connection, user.id, "t", self.server.settings), held.holder, held.account
                )

    @rule(by=ACTORS, number=NUMBERS)
    def use_key(self, by: str, number: int) -> None:
        held = self._pick("key", by, number)
        if held is not None:
            with self.server.database.write() as connection:
                word = use_key(connection, held.word, self.server.settings)
            self._keep("session", word, held.holder, held.account)

    @rule(by=ACTORS, number=NUMBERS)
    def make_token(self, by: str, number: int) -> None:
        with self._acting(by, number) as acting:
            if acting is not None:
                connection, user, held = acting
                word = new_token(connection, user.id, "t", self.server.settings)
                self._keep("token", word, held.holder, held.account)

    @rule(by=ACTORS, number=NUMBERS, name=LOWERED, scope=SCOPES)
    def lower(self, by: str, number: int, name: str, scope: str) -> None:
        with self._acting(by, number) as acting, suppress(RefusedError):
            if acting is not None and name in self.accounts:
                remove_role(acting[0], acting[1], self.accounts[name], scope)

    @rule(by=ACTORS, number=NUMBERS, name=PEOPLE)
    def accept(self, by: str, number: int, name: str) -> None:
        """Accept an account, if its owner is known to hold it alone."""
        with self._acting(by, number) as acting, suppress(RefusedError):
            if acting is not None and {each.holder for each in self.held if each.account == name} == {name}:
                accept_account(acting[0], acting[1], self.accounts[name])

    @rule(name=LOWERED)
    def close(self, name: str) -> None:
        if name not in self.accounts:
            return
        with self.server.database.write() as connection:
            close_person(connection, self.accounts[name], "")

    @invariant()
    def no_session_has_a_right_that_its_holder_was_not_given(self) -> None:
        if not hasattr(self, "server"):
            return
        with self.server.database.read() as connection:
            for held in list(self.held):
                user = self._user(connection, held)
                if user is None and held.kind != "key" and held.account != "boss":
                    self.held.remove(held)  # it has ended: later steps use what is valid
                if user is None or held.holder == held.account:
                    continue
                holder = given_roles(connection, self.accounts[held.holder]) or User()
                for scope, role in user.roles.items():
                    assert holder.may(role, scope), (held, user.roles, holder.roles)


Rights.TestCase.settings = hypothesis_settings(
    max_examples=100, stateful_step_count=14, deadline=None, derandomize=True, database=None
)
test_rights_machine = pytest.mark.slow(Rights.TestCase)
