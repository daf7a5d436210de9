"""Schemas that are made of types, and values that are checked by them."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import unittest
from typing import Any, Dict, List, Literal, NewType, Optional, Tuple, TypedDict, Union

from assay import Context, agent, declaration_of
from assay.check import problems
from assay.errors import DecoratorValidationError
from assay.schema import NoSchema, Schema

from .support import run_item


class Label(enum.Enum):
    REFUND = "refund"
    OTHER = "other"


@dataclasses.dataclass
class Line:
    text: str
    label: Label = Label.OTHER
    below: "List[Line]" = dataclasses.field(default_factory=list)


class Optional_(TypedDict, total=False):
    note: str


class Page(Optional_):
    id: int
    day: datetime.date
    lines: Tuple[Line, ...]


PageId = NewType("PageId", str)


class Types(unittest.TestCase):
    def test_the_schema_of_a_class_that_contains_itself(self) -> None:
        schema = Schema(Page)
        self.assertEqual(schema.json["required"], ["id", "day", "lines"])
        line = schema.json["properties"]["lines"]["items"]
        self.assertEqual(line["properties"]["label"], {"enum": ["refund", "other"]})
        self.assertEqual(line["properties"]["below"], {"type": "array", "items": {"$ref": "#/$defs/Line"}})
        self.assertIn("Line", schema.json["$defs"])

    def test_a_value_becomes_its_type(self) -> None:
        given = {"id": 7, "day": "2026-03-29", "lines": [{"text": "a", "label": "refund", "below": [{"text": "b"}]}]}
        page, problem = Schema(Page).read(given, "input")
        self.assertIsNone(problem)
        self.assertEqual(page["lines"], (Line("a", Label.REFUND, [Line("b")]),))
        self.assertEqual(page["day"], datetime.date(2026, 3, 29))

    def test_what_is_wrong_is_named_with_its_place(self) -> None:
        for given, problem in (
            ({"day": "2026-03-29", "lines": []}, "input.id: is missing"),
            ({"id": "7", "day": "2026-03-29", "lines": []}, "input.id: must be an integer, not a string"),
            ({"id": True, "day": "2026-03-29", "lines": []}, "input.id: must be an integer, not true or false"),
            ({"id": 7, "day": "today", "lines": []}, "input: Invalid isoformat string: 'today'"),
            ({"id": 7, "day": "2026-03-29", "lines": [{"text": "a", "label": "x"}]}, 'input.lines.0.label: must be one of "refund", "other", not "x"'),
            ({"id": 7, "day": "2026-03-29", "lines": [{"text": "a", "below": [{"text": 5}]}]}, "input.lines.0.below.0.text: must be a string, not an integer"),
            ([], "input: must be an object, not a list"),
        ):
            self.assertEqual(Schema(Page).read(given, "input")[1], problem)

    def test_types_of_one_word(self) -> None:
        for given, schema, good, bad in (
            (str, {"type": "string"}, "a", 1),
            (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}, None, "a"),
            (Union[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}, "a", 1.5),
            (Literal["a", 1], {"enum": ["a", 1]}, 1, True),
            (List[float], {"type": "array", "items": {"type": "number"}}, [1], ["1"]),
            (Dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}, {"a": 1}, {"a": "b"}),
            (Tuple[int, str], {"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2, "maxItems": 2}, [1, "a"], [1]),
            (PageId, {"type": "string"}, "a", 1),
            (Label, {"enum": ["refund", "other"]}, "refund", "no"),
        ):
            made = Schema(given)
            self.assertEqual(made.json, schema)
            self.assertIsNone(made.read(good, "it")[1], given)
            self.assertIsNotNone(made.read(bad, "it")[1], given)

    def test_a_type_without_a_schema_says_what_to_write_instead(self) -> None:
        class Odd:
            pass

        for given, words in (
            (Odd, "Odd has no JSON Schema: write a dataclass, a TypedDict"),
            (Dict[int, str], "has keys that are no texts"),
            (set, "set has no JSON Schema"),
        ):
            with self.assertRaisesRegex(NoSchema, words):
                Schema(given)

        def one(ctx: Context, item: Odd) -> None: ...

        one.__annotations__ = {"ctx": Context, "item": Odd}
        with self.assertRaisesRegex(DecoratorValidationError, "^@agent input: Odd has no JSON Schema"):
            agent(name="A")(one)

        def two(ctx: Context, item: "NotThere") -> None: ...  # type: ignore[name-defined]  # noqa: F821

        with self.assertRaisesRegex(DecoratorValidationError, "NotThere.*define it at the module's top"):
            agent(name="A")(two)


class Keywords(unittest.TestCase):
    def test_each_keyword_takes_and_refuses(self) -> None:
        for schema, good, bad in (
            ({"const": 1}, 1, True),
            ({"minLength": 2, "maxLength": 3}, "ab", "a"),
            ({"pattern": "^a"}, "ab", "ba"),
            ({"minimum": 1, "exclusiveMaximum": 3}, 1, 3),
            ({"multipleOf": 0.1}, 0.3, 0.35),
            ({"minItems": 1, "items": {"type": "string"}}, ["a"], []),
            ({"additionalProperties": False, "properties": {"a": {}}}, {"a": 1}, {"b": 1}),
            ({"patternProperties": {"^n": {"type": "number"}}}, {"n1": 1}, {"n1": "a"}),
            ({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, 1, 3),
            ({"allOf": [{"minimum": 1}, {"maximum": 2}]}, 2, 3),
            ({"not": {"type": "null"}}, 1, None),
            ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "null"}}}, None, 1),
            ({"type": ["string", "null"]}, None, 1),
            ({"enum": [{"a": 1}]}, {"a": 1}, {"a": 2}),
        ):
            self.assertEqual(problems(good, schema, "it"), [], schema)
            self.assertEqual(len(problems(bad, schema, "it")), 1, schema)

    def test_a_schema_that_refers_to_itself_without_end(self) -> None:
        self.assertEqual(problems(1, {"$ref": "#"}, "it"), [])


class Agents(unittest.TestCase):
    def test_the_input_is_checked_and_given_as_its_type(self) -> None:
        @agent(name="A")
        def one(ctx: Context, line: Line) -> str:
            return line.label.value

        self.assertEqual(run_item(one, {"text": "a"})[-1]["output"], "other")
        self.assertEqual(run_item(one, {})[-1]["error"], {"code": "invalid_input", "message": "input.text: is missing"})
        self.assertEqual(declaration_of(one)["input_schema"]["required"], ["text"])

    def test_an_item_without_an_annotation_is_a_dict_and_has_no_schema(self) -> None:
        @agent(name="A")
        def one(ctx, item):  # type: ignore[no-untyped-def]
            return type(item).__name__

        self.assertEqual(run_item(one, {})[-1]["output"], "dict")
        self.assertEqual(declaration_of(one), {"name": "A"})

    def test_an_output_that_does_not_match_is_reported_and_kept(self) -> None:
        @agent(name="A", output={"type": "object", "properties": {"label": {"enum": ["a", "b"]}}})
        def one(ctx: Context, item: Any) -> Any:
            return {"label": item}

        self.assertNotIn("schema_error", run_item(one, "a")[-1])
        line = run_item(one, "c")[-1]
        self.assertEqual((line["output"], line["schema_error"]), ({"label": "c"}, 'output.label: must be one of "a", "b", not "c"'))

    def test_the_annotation_of_the_result_is_its_schema_where_it_is_a_form(self) -> None:
        @agent(name="A")
        def one(ctx: Context, item: Any) -> Line:
            return Line("a")

        @agent(name="B")
        def two(ctx: Context, item: Any) -> Dict[str, Any]:
            return {}

        self.assertEqual(declaration_of(one)["output_schema"]["title"], "Line")
        self.assertEqual(run_item(one)[-1]["output"], {"text": "a", "label": "other", "below": []})
        self.assertNotIn("output_schema", declaration_of(two))

    def test_pydantic_models(self) -> None:
        try:
            from pydantic import BaseModel
        except ImportError:
            self.skipTest("pydantic is not installed in this environment")

        class Claim(BaseModel):
            amount: float

        @agent(name="A", input=Claim, output=Claim)
        def one(ctx: Context, claim: Any) -> Any:
            return claim if claim.amount > 0 else {"amount": "much"}

        self.assertEqual(run_item(one, {"amount": 5})[-1]["output"], {"amount": 5.0})
        self.assertIn("output.amount: ", run_item(one, {"amount": 0})[-1]["schema_error"])
        self.assertIn("input.amount: ", run_item(one, {"amount": "x"})[-1]["error"]["message"])
        self.assertEqual(declaration_of(one)["input_schema"]["required"], ["amount"])


if __name__ == "__main__":
    unittest.main()
