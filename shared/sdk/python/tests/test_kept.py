"""What becomes of values that steps return: the first attempt gets what every later one does."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import functools
import json
import pathlib
import unittest
import uuid
from typing import Any, List, Optional

from assay import Kept, UnkeptError
from assay.kept import kept, output_json, revived


def both(value: Any) -> "tuple[Any, Any]":
    """The value of a first attempt, and that of a later one."""
    text, first, _ = kept(value, "it")
    return first, revived(json.loads(text))


class Color(enum.Enum):
    RED = "red"


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Page:
    title: str
    parts: List[str]

    @property
    def first(self) -> str:
        return self.parts[0]

    @functools.cached_property
    def long(self) -> str:
        return self.title * 100

    @property
    def broken(self) -> str:
        raise ValueError("no")


class Plain:
    def __init__(self) -> None:
        self.text = "hello"
        self._client = object()

    def method(self) -> None: ...


class Forms(unittest.TestCase):
    def test_data_stay_what_they_are(self) -> None:
        value = {"a": [1, 2.5, 1.0, True, None, "é\u2028", 10**30], "b": {"$getters": 1, "$$at": 2, "items": [], "$lost": {}}}
        first, later = both(value)
        self.assertEqual(first, value)
        self.assertEqual(later, value)
        self.assertIs(type(first), dict)
        self.assertEqual(json.dumps(first["a"]), json.dumps(value["a"]))
        self.assertEqual(list(first["b"].items())[0], ("$getters", 1))

    def test_values_of_the_standard_library(self) -> None:
        day = datetime.datetime(2026, 3, 29, 2, 30, tzinfo=datetime.timezone.utc)
        for value, expected in (
            (day, "2026-03-29T02:30:00+00:00"),
            (day.date(), "2026-03-29"),
            (decimal.Decimal("1.10"), "1.10"),
            (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
            (Color.RED, "red"),
            (pathlib.PurePosixPath("/a/b"), "/a/b"),
            (float("nan"), None),
            ((1, (2,)), [1, [2]]),
        ):
            first, later = both(value)
            self.assertEqual(first, expected)
            self.assertEqual(first, later)

    def test_keys_that_are_no_texts(self) -> None:
        self.assertEqual(both({1: "a", None: "b", Color.RED: "c"})[0], {"1": "a", "null": "b", "red": "c"})

    def test_an_instance_keeps_its_fields_and_properties_as_attributes(self) -> None:
        for value in both([Page("t", ["a", "b"])]):
            page = value[0]
            self.assertEqual((page.title, page.parts, page.first, page["title"]), ("t", ["a", "b"], "a", "t"))
            self.assertEqual(page.long, "t" * 100)
            self.assertFalse(hasattr(page, "broken"))
            self.assertEqual(page.model_dump(), {"title": "t", "parts": ["a", "b"]})
            self.assertIsInstance(page, Kept)
        for value in both(Plain()):
            self.assertEqual((value.text, hasattr(value, "_client"), hasattr(value, "method")), ("hello", False, False))
        for value in both(Point(1, 2)):
            self.assertEqual((value.x, value.y), (1, 2))

    def test_a_field_wins_over_a_method_of_dicts(self) -> None:
        @dataclasses.dataclass
        class Embedding:
            values: List[float]

        for value in both(Embedding([0.5])):
            self.assertEqual(value.values, [0.5])
            self.assertEqual(list(value.keys()), ["values"])
            self.assertEqual(json.loads(json.dumps(value)), {"values": [0.5]})

    def test_a_kept_answer_is_kept_again(self) -> None:
        first, _ = both(Page("t", ["a"]))
        for value in both({"page": first}):
            self.assertEqual(value["page"].first, "a")

    def test_a_long_property_is_written_as_its_place(self) -> None:
        class Answer:
            def __init__(self) -> None:
                self.parts = [{"text": "y" * 500}]

            @property
            def text(self) -> str:
                return str(self.parts[0]["text"])

        text, value, _ = kept(Answer(), "it")
        self.assertEqual(value.text, "y" * 500)
        self.assertLess(len(text), 700)

    def test_what_has_no_form_is_named_with_its_place(self) -> None:
        def numbers() -> Any:
            yield 1

        loop: List[Any] = []
        loop.append(loop)
        for value, words in (
            ({"a": [{1, 2}]}, "a[0] is a set; return a list, sorted(values)"),
            ({"raw": b"x"}, "raw is bytes; return their text, or base64.b64encode(data).decode()"),
            (numbers(), "it is a generator; return a list, list(values)"),
            (map(str, [1]), "it is an iterator (map); read it to its end, and return a list"),
            ({"f": print}, "f is a function, which does not outlast its attempt"),
            (object(), "it is an instance of object without any data; return the data that is needed later"),
            (loop, "[0] is a part of itself: a circular structure"),
            ({(1, 2): 3}, "it is a dict with the key (1, 2); make its keys texts"),
        ):
            with self.assertRaises(UnkeptError) as raised:
                kept(value, "the output")
            self.assertEqual(str(raised.exception), f"the output cannot be written as JSON: {words}")

    def test_a_value_that_is_nested_too_deeply(self) -> None:
        deep: Any = 1
        for _ in range(100_000):
            deep = [deep]
        with self.assertRaisesRegex(UnkeptError, "nested too deeply"):
            kept(deep, "it")

    def test_an_output_has_its_data_alone(self) -> None:
        self.assertEqual(json.loads(output_json(Page("t", []), "the output")), {"title": "t", "parts": []})


class Libraries(unittest.TestCase):
    def test_pydantic(self) -> None:
        try:
            from pydantic import BaseModel, Field
        except ImportError:
            self.skipTest("pydantic is not installed in this environment")

        class Part(BaseModel):
            text: str
            kind: str = "part"
            note: Optional[str] = None

        class Answer(BaseModel):
            model_config = {"extra": "allow"}
            total_tokens: int = Field(alias="totalTokens")
            part: Part

            @property
            def text(self) -> str:
                return self.part.text

        Part.model_rebuild(_types_namespace={"Optional": Optional})
        Answer.model_rebuild(_types_namespace={"Part": Part})
        for value in both(Answer.model_validate({"totalTokens": 7, "part": {"text": "a"}, "later": {"version": 2}})):
            self.assertEqual((value.total_tokens, value["totalTokens"], value.text, value.later.version), (7, 7, "a", 2))
            self.assertEqual((value.part.note, value.part.kind, "note" in value.part), (None, "part", False))

    def test_numpy_and_frames(self) -> None:
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed in this environment")
        import numpy

        self.assertEqual(both({"a": numpy.float64(1.5), "b": numpy.arange(3)})[0], {"a": 1.5, "b": [0, 1, 2]})
        with self.assertRaisesRegex(UnkeptError, "DataFrame; return its rows"):
            kept(pandas.DataFrame({"a": [1]}), "it")

    def test_a_response_of_requests(self) -> None:
        try:
            import requests
        except ImportError:
            self.skipTest("requests is not installed in this environment")
        with self.assertRaisesRegex(UnkeptError, r"response.json\(\)"):
            kept(requests.Response(), "it")


if __name__ == "__main__":
    unittest.main()
