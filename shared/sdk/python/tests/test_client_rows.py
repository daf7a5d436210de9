"""Rows become lines: what people have, and what cannot be sent."""

import csv
import gzip
import json
import tempfile
import unittest
from dataclasses import dataclass
from datetime import date, datetime, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path
from uuid import UUID

from assay.client.errors import AssayError, InvalidRows
from assay.client.money import cents_of
from assay.client.rows import line_of, rows_of


class Color(Enum):
    RED = "red"


@dataclass
class Point:
    x: int


class Model:
    def model_dump(self, mode):
        return {"mode": mode}


def value(cell):
    return json.loads(line_of({"x": cell}, 1, None, None))["input"]["x"]


class ValuesTest(unittest.TestCase):
    def test_values_of_databases_are_json(self):
        for given, expected in [
            (datetime(2026, 3, 2, 9, 30, tzinfo=timezone.utc), "2026-03-02T09:30:00+00:00"),
            (date(2026, 3, 2), "2026-03-02"),
            (Decimal("12.50"), 12.5),
            (Decimal("3"), 3),
            (UUID(int=7), "00000000-0000-0000-0000-000000000007"),
            (Color.RED, "red"),
            (Model(), {"mode": "json"}),
            (10**30, 10**30),
            ("ünï😀", "ünï😀"),
            (None, None),
            ({"a": [1, {"b": True}]}, {"a": [1, {"b": True}]}),
        ]:
            with self.subTest(repr(given)):
                self.assertEqual(value(given), expected)

    def test_values_that_json_cannot_hold_name_their_row(self):
        ring = []
        ring.append(ring)
        for given in [
            float("nan"),
            float("inf"),
            "\ud800",
            {1, 2},
            b"bytes",
            object(),
            Decimal("0.1234567890123456789"),
            Decimal("NaN"),
            Point(1),
            ring,
        ]:
            with self.subTest(repr(given)[:40]), self.assertRaises(InvalidRows) as caught:
                line_of({"x": given}, 7, None, None)
            self.assertEqual(caught.exception.row, 7)

    def test_item_ids_are_texts(self):
        for given, expected in [("a", "a"), (7, "7"), (UUID(int=7), str(UUID(int=7)))]:
            self.assertEqual(json.loads(line_of({"id": given}, 1, "id", "id"))["item_id"], expected)

    def test_rows_without_a_proper_item_id_are_refused(self):
        for row in [{}, {"id": None}, {"id": ""}, {"id": 1.0}, {"id": True}, {"id": ["a"]}, ["id"], "id", None]:
            with self.subTest(repr(row)), self.assertRaises(InvalidRows):
                line_of(row, 1, "id", None)


class FilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def rows(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return list(rows_of(path))

    def test_files_are_read_by_their_name(self):
        ab = [{"id": "1", "text": "a"}, {"id": "2", "text": "b"}]
        lines = "".join(json.dumps(row) + "\n" for row in ab)
        for name, content in [
            ("rows.jsonl", lines),
            ("rows.ndjson", "\ufeff" + lines + "\n\n"),
            ("ROWS.JSON", json.dumps(ab, indent=2)),
            ("rows.csv", 'id,text\r\n1,"a"\r\n2,b\r\n'),
            ("rows.tsv", "id\ttext\n1\ta\n2\tb\n"),
            ("rows.csv.gz", gzip.compress(b"id,text\n1,a\n2,b\n")),
            ("rows.jsonl.gz", gzip.compress(lines.encode())),
        ]:
            with self.subTest(name):
                self.assertEqual(self.rows(name, content), ab)

    def test_values_of_a_table_keep_their_lines_and_quotes(self):
        self.assertEqual(self.rows("a.csv", 'id,text\n1,"two\nlines, and ""quotes"""\n'), [{"id": "1", "text": 'two\nlines, and "quotes"'}])

    def test_files_that_are_broken_say_where(self):
        for name, content, where in [
            ("a.jsonl", '{"id": 1}\n{"id": }\n', "line 2"),
            ("a.jsonl", '{"id": NaN}\n', "line 1"),
            ("a.json", '{"id": 1}', "no array"),
            ("a.csv", "id,text\n1,a\n2\n", "row 2"),
            ("a.csv", "id,text\n1,a,b\n", "row 1"),
            ("a.csv", b"id,text\n1,\xe9\n", "not UTF-8"),
            ("a.csv", 'id,text\n1,"open\n', "cannot be read"),
            ("a.csv.gz", b"id,text\n", "cannot be read"),
            ("a.csv.gz", gzip.compress(b"id,text\n1,a\n")[:-9], "cannot be read"),
            ("a.xlsx", "", "workbook"),
            ("a.txt", "", "no file of rows"),
        ]:
            with self.subTest(f"{name} {where}"), self.assertRaisesRegex(AssayError, where):
                self.rows(name, content)

    def test_a_long_cell_is_read(self):
        with open(self.folder / "a.csv", "w", newline="") as file:
            csv.writer(file).writerows([["id"], ["x" * 1_000_000]])
        self.assertEqual(len(list(rows_of(self.folder / "a.csv"))[0]["id"]), 1_000_000)


class FramesTest(unittest.TestCase):
    def test_a_frame_of_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed here")
        frame = pandas.DataFrame(
            {
                "id": [1, 2],
                "text": ["a", None],
                "gap": [1.5, float("nan")],
                "whole": pandas.array([1, None], dtype="Int64"),
                "time": pandas.to_datetime(["2026-01-01", None]),
                "list": [[1], [2]],
            }
        )
        items = [json.loads(line_of(row, 1, "id", None)) for row in rows_of(frame)]
        self.assertEqual([item["item_id"] for item in items], ["1", "2"])
        self.assertEqual(
            items[1]["input"], {"id": 2, "text": None, "gap": None, "whole": None, "time": None, "list": [2]}
        )
        self.assertEqual(items[0]["input"]["time"], "2026-01-01T00:00:00")
        with self.assertRaises(AssayError):
            list(rows_of(pandas.DataFrame([[1, 2]], columns=["a", "a"])))

    def test_a_frame_of_polars(self):
        try:
            import polars
        except ImportError:
            self.skipTest("polars is not installed here")
        frame = polars.DataFrame({"id": [1, 2], "gap": [1.5, float("nan")], "day": [date(2026, 3, 2), None]})
        items = [json.loads(line_of(row, 1, "id", None))["input"] for row in rows_of(frame)]
        self.assertEqual(items, [{"id": 1, "gap": 1.5, "day": "2026-03-02"}, {"id": 2, "gap": None, "day": None}])

    def test_a_parquet_file(self):
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            self.skipTest("pyarrow is not installed here")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.parquet"
            pyarrow.parquet.write_table(pyarrow.table({"id": ["a", "b"], "n": [1, None]}), path)
            self.assertEqual(list(rows_of(path)), [{"id": "a", "n": 1}, {"id": "b", "n": None}])

    def test_what_has_no_rows_is_refused(self):
        for given in [{"id": 1}, b"bytes", 7, None]:
            with self.subTest(repr(given)), self.assertRaises(AssayError):
                rows_of(given)


class MoneyTest(unittest.TestCase):
    def test_a_number_is_dollars(self):
        for given, cents in [("5", 500), ("5.00", 500), ("$0.5", 50), (1, 100), (0.29, 29), (Decimal("2.5"), 250), ("250c", 250), ("0", 0)]:
            with self.subTest(repr(given)):
                self.assertEqual(cents_of(given), cents)

    def test_other_amounts_are_refused(self):
        for given in ["", "five", "-1", -1, "1.001", 0.001, float("nan"), "1,00", "1.5c", True, "$5c", "1e400"]:
            with self.subTest(repr(given)), self.assertRaisesRegex(AssayError, "invalid_setting"):
                cents_of(given)


if __name__ == "__main__":
    unittest.main()
