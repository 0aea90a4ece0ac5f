"""Sign-in keys, and who vouched for an account.

The last user who made a sign-in link for an account becomes its voucher, with that user's own vouchers. Links that
were not used end.
"""

from alembic import op
from sqlalchemy import Column, Text, text

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("people", Column("key", Text))
    op.add_column("people", Column("vouchers", Text))
    op.create_index("people_key", "people", ["key"], unique=True)
    for table in ("sign_in_links", "sessions"):
        op.add_column(table, Column("vouchers", Text))
    connection = op.get_bind()
    makers: dict[str, str] = {}
    entries = "SELECT person, action, object FROM audit WHERE action IN ('link.make', 'sign-in') ORDER BY id"
    linked: dict[str, str] = {}
    for person, action, what in connection.execute(text(entries)).all():
        other = str(what).removeprefix("person:")
        if action == "link.make":
            linked[other] = str(person)
        elif other in linked:
            makers[other] = linked[other]
    for person in makers:
        vouchers: list[str] = []
        maker = makers[person]
        while maker and maker not in (person, *vouchers):
            vouchers.append(maker)
            maker = makers.get(maker, "")
        statement = text("UPDATE people SET vouchers = :vouchers WHERE id = :id")
        connection.execute(statement, {"vouchers": " ".join(vouchers), "id": person})
    connection.execute(text("UPDATE sign_in_links SET used = made WHERE used IS NULL"))
