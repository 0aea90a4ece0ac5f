"""Sessions and device links of annotators are stored as digests."""

import hashlib

from alembic import op
from sqlalchemy import text

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    connection = op.get_bind()
    for row in connection.execute(text("SELECT study, person, session, device FROM annotators")).all():
        words = {"session": row.session, "device": row.device}
        digests = {name: hashlib.sha256(word.encode()).hexdigest() if word else "" for name, word in words.items()}
        update = "UPDATE annotators SET session = :session, device = :device"
        values = {"study": row.study, "person": row.person, **digests}
        connection.execute(text(f"{update} WHERE study = :study AND person = :person"), values)
