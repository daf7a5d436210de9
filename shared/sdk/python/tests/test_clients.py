"""The clients that people use, each over a provider on this machine: what their answers become, and what is reported of refusals."""

from __future__ import annotations

import asyncio
import importlib
import json
import threading
import unittest
import urllib.error
import urllib.request
from typing import Any, Callable, Dict, List, Optional

from assay import AsyncContext, Context, agent

from assay.agent import registration_of
from assay.item_run import ItemRun
from assay.protocol import with_defaults

from .provider import Provider
from .support import again, project, run_item


def needs(module: str) -> Any:
    """A client that is not installed is skipped by its name: the package itself needs none."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise unittest.SkipTest(f"{module} is not installed in this environment") from None


def chat(model: str) -> Dict[str, Any]:
    return {"model": model, "messages": [{"role": "user", "content": "I want my money back"}]}


class Case(unittest.TestCase):
    def setUp(self) -> None:
        provider = Provider()
        self.provider = provider.__enter__()
        self.addCleanup(provider.__exit__)

    def item(self, call: Callable[[Any], Any], read: Callable[[Any], Any], model: str = "gpt-5-mini", **line: Any) -> List[Dict[str, Any]]:
        @agent(name="Clients")
        def clients(ctx: Context, item: Any) -> Any:
            return read(ctx.llm("classify", chat(model), call))

        return run_item(clients, upstreams=project(), **line)

    def keeps(self, call: Callable[[Any], Any], read: Callable[[Any], Any]) -> List[Dict[str, Any]]:
        """The first attempt and the next one read the same of the answer, and the next one calls nobody."""
        first = self.item(call, read)
        self.assertEqual(first[-1]["type"], "result", first[-1])
        calls = len(self.provider.calls)
        second = self.item(call, read, attempt=2, recorded=again(first))
        self.assertEqual(len(self.provider.calls), calls)
        self.assertEqual(second[-1]["output"], first[-1]["output"])
        self.assertEqual(len(second), 1)
        return first

    def waits(self, call: Callable[[Any], Any], status: Optional[int] = 429, retry_after_ms: Optional[int] = 7000) -> Dict[str, Any]:
        """A refusal for the number of calls: the item waits for its upstream, and was called once."""
        line = self.item(call, lambda answer: None, model="limited")[-1]
        self.assertEqual(line["type"], "error")
        error = line["error"]
        self.assertEqual(error["upstream"]["host"], self.provider.host)
        self.assertEqual(error.get("status"), status)
        self.assertEqual(error.get("retry_after_ms"), retry_after_ms)
        self.assertEqual(len(self.provider.calls), 1)
        self.assertEqual(error["step"]["key"], "classify")
        return dict(error)


class OpenAi(Case):
    def client(self, **options: Any) -> Any:
        return needs("openai").OpenAI(api_key="sk-test", base_url=f"{self.provider.url}/v1", **options)

    def test_a_chat_keeps_what_people_read_of_it(self) -> None:
        client = self.client()
        lines = self.keeps(
            lambda request: client.chat.completions.create(**request),
            lambda answer: [
                answer.choices[0].message.content,
                answer.choices[0].message.tool_calls,
                answer.choices[0].finish_reason,
                answer.usage.prompt_tokens,
                answer["model"],
                hasattr(answer, "no_such_field"),
            ],
        )
        self.assertEqual(lines[-1]["output"], ["refund", None, "stop", 12, "gpt-5-mini", False])
        output = lines[0]["step"]["output"]
        self.assertEqual(output["usage"]["completion_tokens"], 1)

    def test_a_response_keeps_its_text(self) -> None:
        client = self.client()
        lines = self.keeps(lambda request: client.responses.create(model=request["model"], input="?"), lambda answer: answer.output_text)
        self.assertEqual(lines[-1]["output"], "refund")

    def test_a_stream_is_read_to_its_end(self) -> None:
        client = self.client()
        lines = self.keeps(
            lambda request: client.chat.completions.create(**request, stream=True),
            lambda pieces: "".join(one["choices"][0]["delta"].get("content") or "" for one in pieces),
        )
        self.assertEqual(lines[-1]["output"], "refund")

    def test_a_refusal_makes_the_item_wait_and_the_client_does_not_call_again(self) -> None:
        client = self.client()
        error = self.waits(lambda request: client.chat.completions.create(**request))
        self.assertEqual(error["upstream"]["model"], "limited")
        self.assertRegex(error["upstream"]["key"], "^[0-9a-f]{32}$")
        self.assertEqual(error["message"], "Rate limit reached (rate_limit_exceeded)")

    def test_an_empty_account_is_named(self) -> None:
        client = self.client()
        line = self.item(lambda request: client.chat.completions.create(**request), lambda answer: None, model="quota")[-1]
        self.assertEqual(line["error"]["upstream"]["fault"], "quota")

    def test_the_limits_of_a_good_answer_are_reported(self) -> None:
        client = self.client()
        project()._served.clear()
        lines = self.item(lambda request: client.chat.completions.create(**request), lambda answer: None)
        upstream = lines[0]["step"]["upstream"]
        self.assertEqual(upstream["limits"], [{"of": "requests", "amount": 500, "left": 499, "reset_ms": 120, "window_ms": None}])
        self.assertEqual(upstream["served"], 1)

    def test_an_agent_that_does_not_wait_gets_the_refusal(self) -> None:
        client = self.client(max_retries=0)

        @agent(name="Clients")
        def clients(ctx: Context, item: Any) -> str:
            try:
                ctx.llm("classify", chat("limited"), lambda request: client.chat.completions.create(**request), wait=False)
            except needs("openai").RateLimitError as error:
                return f"fell back: {error.status_code}"
            return "?"

        lines = run_item(clients, upstreams=project())
        self.assertEqual(lines[-1]["output"], "fell back: 429")
        self.assertEqual(lines[0]["step"]["upstream"]["fault"], "rate")
        self.assertEqual(lines[0]["step"]["error"]["code"], "llm_call_error")

    def test_a_closed_upstream_is_not_called_but_by_a_probe(self) -> None:
        client = self.client()

        @agent(name="Clients")
        def clients(ctx: Context, item: Any) -> str:
            return str(ctx.llm("classify", chat("gpt-5-mini"), lambda request: client.chat.completions.create(**request)).choices[0].message.content)

        key = project().place(self.provider.url, {"authorization": "Bearer sk-test"}, None).key
        closed = [{"host": self.provider.host, "key": key, "fault": "away", "words": "is away"}]
        line = run_item(clients, upstreams=project(closed))[-1]
        self.assertEqual(line["error"]["upstream"]["called"], False)
        self.assertEqual(self.provider.calls, [])
        lines = run_item(clients, upstreams=project(closed), probe=True)
        self.assertEqual(lines[-1]["output"], "refund")
        self.assertEqual(lines[0]["step"]["upstream"]["host"], self.provider.host)

    def test_an_answer_that_was_paid_is_kept_when_its_call_raises(self) -> None:
        client = self.client()

        def parse(request: Any) -> Any:
            raise ValueError(f"not JSON: {client.chat.completions.create(**request).choices[0].message.content}")

        lines = self.item(parse, lambda answer: None)
        self.assertEqual(lines[0]["step"]["output"]["usage"]["total_tokens"], 13)
        self.assertEqual(lines[-1]["error"], {"code": "llm_call_error", "message": "ValueError: not JSON: refund"})

    def test_the_async_client(self) -> None:
        client = needs("openai").AsyncOpenAI(api_key="sk-test", base_url=f"{self.provider.url}/v1")

        @agent(name="Clients")
        async def clients(ctx: AsyncContext, item: Any) -> Any:
            asked = [ctx.llm(f"ask {n}", chat("gpt-5-mini"), lambda request: client.chat.completions.create(**request)) for n in range(3)]
            return [answer.choices[0].message.content for answer in await asyncio.gather(*asked)]

        self.assertEqual(run_item(clients, upstreams=project())[-1]["output"], ["refund"] * 3)


class Anthropic(Case):
    def test_a_message(self) -> None:
        client = needs("anthropic").Anthropic(api_key="sk-ant-test", base_url=self.provider.url)
        lines = self.keeps(
            lambda request: client.messages.create(max_tokens=9, **request),
            lambda answer: [answer.content[0].text, answer.stop_reason, answer.usage.input_tokens, hasattr(answer.content[0], "input")],
        )
        self.assertEqual(lines[-1]["output"], ["refund", "end_turn", 12, False])

    def test_a_refusal(self) -> None:
        client = needs("anthropic").Anthropic(api_key="sk-ant-test", base_url=self.provider.url)
        self.waits(lambda request: client.messages.create(max_tokens=9, **request))


class Google(Case):
    def client(self) -> Any:
        genai = needs("google.genai")
        return genai.Client(api_key="AIza-test", http_options=genai.types.HttpOptions(base_url=self.provider.url))

    def test_an_answer(self) -> None:
        client = self.client()
        lines = self.keeps(
            lambda request: client.models.generate_content(model="gemini-2.5-flash", contents="?"),
            lambda answer: [answer.text, answer.usage_metadata.total_token_count, answer.candidates[0].content.parts[0].text],
        )
        self.assertEqual(lines[-1]["output"], ["refund", 13, "refund"])
        self.assertEqual(lines[0]["step"]["output"]["usageMetadata"]["promptTokenCount"], 12)

    def test_a_refusal(self) -> None:
        client = self.client()
        error = self.waits(lambda request: client.models.generate_content(model="limited", contents="?"))
        self.assertEqual(error["upstream"]["model"], "limited")


class Groq(Case):
    def test_a_chat_and_a_refusal(self) -> None:
        client = needs("groq").Groq(api_key="gsk_test", base_url=self.provider.url)
        lines = self.keeps(lambda request: client.chat.completions.create(**request), lambda answer: answer.choices[0].message.content)
        self.assertEqual(lines[-1]["output"], "refund")
        self.provider.calls.clear()
        self.waits(lambda request: client.chat.completions.create(**request))


class Boto3(Case):
    def client(self) -> Any:
        return needs("boto3").client(
            "bedrock-runtime", region_name="us-east-1", endpoint_url=self.provider.url, aws_access_key_id="AKIATEST", aws_secret_access_key="secret"
        )

    def ask(self, client: Any, model: str) -> Any:
        return client.converse(modelId=model, messages=[{"role": "user", "content": [{"text": "?"}]}])

    def test_an_answer(self) -> None:
        client = self.client()
        lines = self.keeps(lambda request: self.ask(client, "anthropic.claude"), lambda answer: answer["output"]["message"]["content"][0]["text"])
        self.assertEqual(lines[-1]["output"], "refund")

    def test_a_refusal(self) -> None:
        client = self.client()
        error = self.waits(lambda request: self.ask(client, "limited"))
        self.assertEqual(error["upstream"]["model"], "limited")


class PlainHttp(Case):
    def url(self) -> str:
        return f"{self.provider.url}/v1/chat/completions"

    def post(self, request: Any) -> Any:
        body = json.dumps(request).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url(), body, {"authorization": "Bearer sk-test"})) as answer:
            return json.load(answer)

    def test_urllib(self) -> None:
        self.keeps(self.post, lambda answer: answer["choices"][0]["message"]["content"])
        self.provider.calls.clear()
        self.assertEqual(self.waits(self.post)["upstream"]["model"], "limited")

    def test_aiohttp(self) -> None:
        aiohttp = needs("aiohttp")

        @agent(name="Clients")
        async def clients(ctx: AsyncContext, model: Any) -> Any:
            async def post(request: Any) -> Any:
                async with aiohttp.ClientSession(headers={"authorization": "Bearer sk-test"}) as session:
                    async with session.post(self.url(), json=request, raise_for_status=True) as response:
                        return await response.json()

            return (await ctx.llm("classify", chat(model), post))["model"]

        project()._served.clear()
        lines = run_item(clients, "gpt-5-mini", upstreams=project())
        self.assertEqual((lines[-1]["output"], lines[0]["step"]["upstream"]["host"]), ("gpt-5-mini", self.provider.host))
        error = run_item(clients, "limited", upstreams=project())[-1]["error"]
        self.assertEqual((error["upstream"]["model"], error["retry_after_ms"], error["status"]), ("limited", 7000, 429))

    def test_words_of_a_refusal_in_chunks(self) -> None:
        self.url = lambda: f"{self.provider.url}/v1/chunked"  # type: ignore[method-assign]
        self.assertEqual(self.waits(self.post)["message"], "Rate limit reached (rate_limit_exceeded)")

    def test_requests(self) -> None:
        requests = needs("requests")

        def post(request: Any) -> Any:
            response = requests.post(self.url(), json=request, headers={"authorization": "Bearer sk-test"})
            response.raise_for_status()
            return response.json()

        self.keeps(post, lambda answer: answer["choices"][0]["message"]["content"])
        self.provider.calls.clear()
        self.assertEqual(self.waits(post)["upstream"]["model"], "limited")

    def test_httpx(self) -> None:
        httpx = needs("httpx")
        self.keeps(lambda request: httpx.post(self.url(), json=request).json(), lambda answer: answer["choices"][0]["message"]["content"])
        self.provider.calls.clear()
        self.waits(lambda request: httpx.post(self.url(), json=request).raise_for_status().json())

    def test_a_client_that_sleeps_before_it_tries_again_holds_no_place(self) -> None:
        woken = threading.Event()

        def stubborn(request: Any) -> Any:
            for _ in range(3):
                try:
                    return self.post(request)
                except urllib.error.HTTPError:
                    woken.wait(20)

        ended = threading.Event()
        lines: List[Dict[str, Any]] = []

        @agent(name="Clients")
        def clients(ctx: Context, item: Any) -> Any:
            return ctx.llm("classify", chat("limited"), stubborn)

        def write(text: str, is_final: bool) -> None:
            lines.append(json.loads(text))
            ended.set()

        run = ItemRun(registration_of(clients), with_defaults({"seq": 1, "attempt": 1}), "run", write, project())
        thread = threading.Thread(target=run.execute)
        thread.start()
        self.assertTrue(ended.wait(10))
        self.assertTrue(thread.is_alive())
        woken.set()
        thread.join(10)
        self.assertEqual(len(self.provider.calls), 1)
        self.assertEqual([line["error"]["retry_after_ms"] for line in lines], [7000])

    def test_nobody_there(self) -> None:
        self.provider.shutdown()
        self.provider.server_close()
        line = self.item(self.post, lambda answer: None)[-1]
        self.assertEqual(line["error"]["upstream"]["fault"], "away")
        self.assertNotIn("status", line["error"])

    def test_a_tool_waits_for_429_alone(self) -> None:
        @agent(name="Tools")
        def tools(ctx: Context, item: Any) -> Any:
            return ctx.tool("ask", chat(item), self.post)

        self.assertEqual(run_item(tools, "limited", upstreams=project())[-1]["error"]["upstream"]["host"], self.provider.host)
        broken = run_item(tools, "broken", upstreams=project())
        self.assertNotIn("upstream", broken[-1]["error"])
        self.assertEqual(broken[-1]["error"]["code"], "tool_call_error")

    def test_without_a_key_of_the_project_nothing_is_said_of_upstreams(self) -> None:
        @agent(name="Clients")
        def clients(ctx: Context, item: Any) -> Any:
            return ctx.llm("classify", chat("limited"), self.post)

        error = run_item(clients)[-1]["error"]
        self.assertEqual(error["code"], "llm_call_error")
        self.assertNotIn("upstream", error)


if __name__ == "__main__":
    unittest.main()
