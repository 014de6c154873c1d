"""The tables of the library in SQLite."""

import sqlite3
from typing import Any


def opened(connection: sqlite3.Connection) -> Any:
    """The database with its tables, made where they are missing."""
    import sqlite_utils

    db = sqlite_utils.Database(connection)
    db.enable_wal()
    connection.execute("BEGIN IMMEDIATE")  # two programs may open a new library at the same time
    try:
        _create_tables(db)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    return db


def _create_tables(db: Any) -> None:
    if "found_online" not in db.table_names():
        db["found_online"].create({"paper_id": str, "source": str}, pk="paper_id")
    if "state" in db.table_names():
        return
    texts = ("paper_id", "key", "title", "abstract", "doi", "arxiv_id", "plain_title", "record", "digest")
    columns: dict[str, type] = {"seq": int, **dict.fromkeys(texts, str), "own_key": int}
    db["papers"].create(columns, pk="seq", not_null=set(columns) - {"seq"})
    for column in ("paper_id", "key"):
        db["papers"].create_index([column], unique=True)
    for column in ("doi", "arxiv_id", "plain_title"):
        db["papers"].create_index([column])
    db["pages"].create({"paper_id": str, "number": int, "text": str}, pk=("paper_id", "number"))
    db["keys"].create({"key": str, "paper_id": str}, pk="key")
    db["topics"].create({"paper_id": str, "label": str}, pk="paper_id")
    for statement in _FTS:
        db.execute(statement)
    db["state"].create({"name": str, "value": str}, pk="name")
    db["state"].insert({"name": "revision", "value": 0})


# The same as sqlite-utils' enable_fts(create_triggers=True), which would end the transaction that we are in.
_FTS = (
    "CREATE VIRTUAL TABLE papers_fts USING fts5(title, abstract, content=papers, content_rowid=seq, tokenize='porter')",
    "CREATE TRIGGER papers_ai AFTER INSERT ON papers BEGIN"
    " INSERT INTO papers_fts (rowid, title, abstract) VALUES (new.seq, new.title, new.abstract); END",
    "CREATE TRIGGER papers_ad AFTER DELETE ON papers BEGIN INSERT INTO papers_fts (papers_fts, rowid, title, abstract)"
    " VALUES ('delete', old.seq, old.title, old.abstract); END",
    "CREATE TRIGGER papers_au AFTER UPDATE OF title, abstract ON papers BEGIN"
    " INSERT INTO papers_fts (papers_fts, rowid, title, abstract) VALUES ('delete', old.seq, old.title, old.abstract);"
    " INSERT INTO papers_fts (rowid, title, abstract) VALUES (new.seq, new.title, new.abstract); END",
)
