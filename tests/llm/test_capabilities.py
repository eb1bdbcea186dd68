from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from semifactual.llm.capabilities import Capabilities, Structure, from_stored
from semifactual.llm.endpoint import parse_model
from semifactual.llm.errors import ServerError
from semifactual.llm.prompts import Sampling
from semifactual.llm.requests import ChatRequest, Purpose
from semifactual.pipeline.llm_options import LlmBuildOptions
from semifactual.pipeline.models import models_for
from tests.stub_server import StubServer

ALL = ("json_schema", "json_object", "seed", "temperature", "max_tokens", "system")
SCHEMA = '{"type": "object"}'


def probed(stub: StubServer, tmp_path: Path) -> Capabilities:
    pytest.importorskip("openai")
    options = LlmBuildOptions(engine="llm", model=stub.model, cache=tmp_path / "cache.sqlite", attempts=2)

    async def ask() -> Capabilities:
        with models_for(options, {}) as models:
            assert models is not None
            (client,) = models.open_clients().values()
            try:
                return await client.prepare()
            finally:
                await client.close()

    return asyncio.run(ask())


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        ((), Capabilities()),
        (("json_schema",), Capabilities(Structure.JSON_OBJECT)),
        (("json_schema", "json_object"), Capabilities(Structure.TEXT)),
        (("max_tokens",), Capabilities(tokens_field="max_completion_tokens")),
        (("temperature", "seed"), Capabilities(temperature=False, seed=False)),
        (("system",), Capabilities(system=False)),
        (
            ("json_schema", "max_tokens", "temperature", "seed"),
            Capabilities(Structure.JSON_OBJECT, "max_completion_tokens", False, False),
        ),
    ],
)
def test_what_a_server_refuses_is_left_out(missing: tuple[str, ...], expected: Capabilities, tmp_path: Path) -> None:
    with StubServer(supports=tuple(name for name in ALL if name not in missing)) as stub:
        assert probed(stub, tmp_path) == expected
        questions = len(stub.seen) + stub.counts["probe"]
        assert probed(stub, tmp_path) == expected  # remembered
        assert len(stub.seen) + stub.counts["probe"] == questions


def test_a_format_that_is_silently_ignored_is_given_up(tmp_path: Path) -> None:
    with StubServer(ignores_formats=True) as stub:
        assert probed(stub, tmp_path).structure is Structure.TEXT


def test_a_server_that_refuses_everything_cannot_be_used(tmp_path: Path) -> None:
    with StubServer() as stub:
        stub._refusal = lambda body: {"message": "no such luck"}  # type: ignore[method-assign]
        with pytest.raises(ServerError, match="no such luck"):
            probed(stub, tmp_path)


def test_requests_are_written_as_the_server_wants_them() -> None:
    endpoint = parse_model("openai:m@http://host/v1")
    messages = (("system", "Be exact."), ("user", "Rewrite."))
    request = ChatRequest(Purpose.REWRITE, messages, 50, SCHEMA, 0.5, 2, '{"top_k": 5}')
    full = Capabilities().body(request, endpoint)
    assert full == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be exact."}, {"role": "user", "content": "Rewrite."}],
        "max_tokens": 50,
        "temperature": 0.5,
        "seed": 2,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": {"type": "object"}},
        },
        "top_k": 5,
    }
    plain = Capabilities(Structure.TEXT, "max_completion_tokens", False, False, False).body(request, endpoint)
    assert plain == {
        "model": "m",
        "messages": [{"role": "user", "content": "Be exact.\n\nRewrite."}],
        "max_completion_tokens": 50,
        "top_k": 5,
    }


def test_capabilities_survive_being_stored() -> None:
    odd = Capabilities(Structure.JSON_OBJECT, "max_completion_tokens", False, True, False)
    assert from_stored(odd.to_json()) == odd


def test_solving_asks_for_no_format() -> None:
    from semifactual.llm.prompts import solve_request

    body = Capabilities().body(solve_request("1 + 1", Sampling(), 0), parse_model("openai:m"))
    assert "response_format" not in body
