"""Functions that need no forum: keys, signatures, canonical JSON, checker, findings. VECTORS is the directory of
vectors.
"""

import ast
import asyncio
import json
import os
import stat
import tempfile
import time
import unittest
from pathlib import Path

import agent_forum
import httpx
from agent_forum import (
    AgentKeys,
    ArgumentError,
    FindingError,
    ForumAuth,
    ForumClient,
    ForumError,
    ForumNetworkError,
    KeyFileError,
    Signer,
    generate_keys,
    verify_finding,
)
from agent_forum.canonical import canonical_json, hash_of
from agent_forum.checker import CheckerRefusal, answer_problem, evaluate, parse_program
from agent_forum.ijson import parse_json
from agent_forum.signing import canonical_query, parse_query, request_text

VECTORS = Path(os.environ["VECTORS"])


def vectors(name):
    return json.loads((VECTORS / name).read_text("utf-8"))


class Signing(unittest.TestCase):
    def setUp(self):
        self.vectors = vectors("signing.json")
        self.keys = AgentKeys(bytes.fromhex(self.vectors["seedHex"]), bytes(32), bytes(32))

    def test_agent_id_and_key(self):
        self.assertEqual(self.keys.agent_id, self.vectors["agentId"])

    def test_requests(self):
        for vector in self.vectors["requests"]:
            query = canonical_query(parse_query(vector["query"]))
            text = request_text(
                vector["method"],
                vector["path"],
                query,
                vector["timestamp"],
                vector["nonce"],
                vector["body"].encode(),
            )
            self.assertEqual(query, vector["canonicalQuery"])
            self.assertEqual(text, vector["signedText"])
            self.assertEqual(Signer(self.keys).sign(text), vector["signature"])

    def test_auth_signs_what_goes_out_synchronously_and_not(self):
        seen = []

        def answer(request):
            seen.append(request)
            return httpx.Response(200, json={})

        auth = ForumAuth("https://forum.example", self.keys, now=lambda: 1767225600.9)
        url = "https://forum.example/mcp?b=2&a=%C3%A9+x"
        with httpx.Client(transport=httpx.MockTransport(answer), auth=auth) as client:
            client.post(url, json={"é": 1})

        async def call():
            async with httpx.AsyncClient(transport=httpx.MockTransport(answer), auth=auth) as client:
                await client.get(url)

        asyncio.run(call())
        for request in seen:
            headers = request.headers
            text = request_text(
                request.method, "/mcp", "a=%C3%A9%20x&b=2", "1767225600", headers["x-svc-nonce"], request.content
            )
            signature = headers["x-svc-signature"]
            self.assertEqual(Signer(self.keys).sign(text), signature)
        self.assertNotEqual(*(request.headers["x-svc-nonce"] for request in seen))
        for foreign in ("http://forum.example/mcp", "https://forum.example:444/", "https://other.example/"):
            with self.assertRaises(ArgumentError):
                httpx.Client(transport=httpx.MockTransport(answer), auth=auth).get(foreign)
        self.assertEqual(len(seen), 2)

    def test_a_malformed_query_is_not_signed(self):
        for raw in ("a=%", "a=%4", "a=%FF", "%zz"):
            with self.assertRaises(ArgumentError):
                parse_query(raw)


class Hints(unittest.TestCase):
    """The sentences are those of the TypeScript client and of MCP."""

    def test_mistakes(self):
        told = [each for each in vectors("hints.json")["mistakes"] if "operation" in each]
        self.assertGreaterEqual(len(told), 60)
        for vector in told:
            with self.subTest(vector["mistake"]):
                refusal = {"error": vector.get("token"), "field": vector.get("field")}
                error = self.refused(vector, lambda _: httpx.Response(400, json=refusal))
                if vector.get("unsent"):
                    self.assertIsInstance(error, ArgumentError)
                    self.assertEqual(str(error), "; ".join(vector["problems"]))
                    continue
                problems = vector.get("problems", [])
                self.assertEqual(list(error.problems), problems)
                self.assertEqual(error.hint, "; ".join(problems) or vector["hint"])
                self.assertEqual(str(error).partition(": ")[2], error.hint)

    def refused(self, vector, answer):
        transport = httpx.MockTransport(answer)
        with ForumClient("http://forum.example", generate_keys(), transport=transport) as forum:
            with self.assertRaises((ForumError, ArgumentError)) as raised:
                forum.call(vector["operation"], vector["input"])
        return raised.exception

    def test_names(self):
        with ForumClient("http://forum.example") as forum:
            for vector in vectors("hints.json")["names"]:
                if vector["sent"] in agent_forum.OPERATIONS:
                    continue
                meant = f": did you mean {vector['operation']}?" if vector["operation"] else ""
                with self.assertRaises(ArgumentError) as raised:
                    forum.call(vector["sent"], {})
                self.assertEqual(str(raised.exception), f"no operation {vector['sent']}{meant}")

    def test_a_bound_and_what_only_the_operator_may_do(self):
        def told(token, operation, **body):
            answer = httpx.Response(400, json={"error": token, **body})
            return self.refused({"operation": operation, "input": {}}, lambda _: answer).hint

        self.assertEqual(told("too_large", "post.create", maxBytes=524288), "the request: at most 524,288 bytes")
        self.assertEqual(
            told("forbidden", "governance.veto"), "Only the operator of the forum may do this."
        )
        self.assertIsNone(told("something_new", "post.create"))


class Trickle(httpx.SyncByteStream):
    def __iter__(self):
        for _ in range(100):
            time.sleep(0.05)
            yield b" "


class Exchanges(unittest.TestCase):
    def test_an_answer_of_somebody_else_is_none(self):
        odd = {"retry-after": "9" * 5000, "date": "Thu, 01 Jan 1970 00:00:00 +99999999999999999999"}
        for status, content in [(200, b""), (204, b""), (201, b"null"), (200, b"[]"), (200, b"7"), (503, b"<html>")]:
            transport = httpx.MockTransport(lambda _: httpx.Response(status, content=content, headers=odd))
            with ForumClient("http://forum.example", generate_keys(), transport=transport) as forum:
                with self.assertRaises(ForumError) as raised:
                    forum.post_create(title="a", body="b")
            error = raised.exception
            self.assertEqual((error.token, error.status), ("unexpected_response", status))
            self.assertEqual((error.retry_after_seconds, error.server_time), (None, None))
            self.assertIsNotNone(error.attempt)

    def test_an_answer_that_trickles_in_is_given_up(self):
        transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=Trickle()))
        started = time.monotonic()
        with ForumClient("http://forum.example", timeout=0.2, transport=transport) as forum:
            with self.assertRaises(ForumNetworkError) as raised:
                forum.pulse_read()
        self.assertTrue(raised.exception.timed_out)
        self.assertLess(time.monotonic() - started, 3)


class Keys(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = Path(self.directory.name, "sub", "key.json")

    def test_a_file_is_written_once_and_read_again(self):
        keys = agent_forum.generate_keys()
        agent_forum.write_key_file(self.path, keys)
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)
        self.assertEqual(agent_forum.read_key_file(self.path), keys)
        self.assertEqual(keys.owner_public_key, keys.encryption_public_key)
        self.assertNotIn(repr(keys.signing_seed), repr(keys))
        with self.assertRaises(KeyFileError):
            agent_forum.write_key_file(self.path, keys)

    def test_a_file_that_is_missing_open_or_damaged_is_refused(self):
        with self.assertRaisesRegex(KeyFileError, "does not exist"):
            agent_forum.read_key_file(self.path)
        agent_forum.write_key_file(self.path, agent_forum.generate_keys())
        content = json.loads(self.path.read_text())
        self.path.chmod(0o640)
        with self.assertRaisesRegex(KeyFileError, "open to others"):
            agent_forum.read_key_file(self.path)
        self.path.chmod(0o600)
        padded = f"{content['signingSeed']}="
        holed = f"{content['signingSeed'][:-1]}!"
        changes = [{"agentId": "ag1-x"}, {"format": "x"}, {"ownerPublicKey": 1}]
        for change in (*changes, {"signingSeed": padded}, {"signingSeed": holed}):
            self.path.write_text(json.dumps({**content, **change}))
            with self.assertRaises(KeyFileError) as caught:
                agent_forum.read_key_file(self.path)
            self.assertNotIn(content["signingSeed"], str(caught.exception))


class Canonical(unittest.TestCase):
    def test_numbers_are_written_as_ecmascript_writes_them(self):
        for number, text in (
            (0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (100, "100"),
            (0.1, "0.1"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1.5e-7, "1.5e-7"),
            (123456789012345680000, "123456789012345680000"),
            (1e21, "1e+21"),
            (1.25e22, "1.25e+22"),
            (5e-324, "5e-324"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
            (9007199254740993, "9007199254740992"),
        ):
            self.assertEqual(canonical_json(number), text)

    def test_keys_are_sorted_by_code_units_and_texts_escaped(self):
        value = {"\ufb33": 1, "😀": 2, "b": [True, None, "\u001f\u007f\"\\/\b\n€"], "a": {}}
        text = '{"a":{},"b":[true,null,"\\u001f\u007f\\"\\\\/\\b\\n€"],"😀":2,"\ufb33":1}'
        self.assertEqual(canonical_json(value), text)
        self.assertEqual(len(hash_of(value)), 43)

    def test_what_json_cannot_say_is_refused(self):
        for value in (float("nan"), float("inf"), "\ud800"):
            self.assertRaises(ValueError, canonical_json, value)
        for value in ({1: 1}, (1,), object()):
            self.assertRaises(TypeError, canonical_json, value)


class IJson(unittest.TestCase):
    def test_reads_doubles(self):
        self.assertEqual(parse_json(b"[1, 1.5, 9007199254740993, 1e21, -0]"), [1, 1.5, 9007199254740992, 1e21, 0])

    def test_refuses_what_is_no_i_json(self):
        deep = b"[" * 129 + b"]" * 129
        for raw in (
            b"",
            b"{",
            b'{"a":1,"a":2}',
            b"NaN",
            b"1E400",
            b"1" * 400,
            b'"\\ud800"',
            b'{"\\u0000":1}',
            b'"\xff"',
            deep,
            b"[" * 100_000,
        ):
            with self.assertRaises(ValueError, msg=raw[:20]):
                parse_json(raw)
        self.assertEqual(answer_problem(parse_json(deep[1:-1])), "depth")


class Checker(unittest.TestCase):
    def test_vectors(self):
        told = vectors("checker.json")
        answers = 0
        for vector in told["programs"]:
            with self.subTest(vector["name"]):
                if "refused" in vector:
                    with self.assertRaises(CheckerRefusal) as caught:
                        parse_program(vector["program"], told["outcomes"])
                    self.assertEqual(caught.exception.field, vector["refused"])
                    continue
                program = parse_program(vector["program"], told["outcomes"])
                for case in vector["answers"]:
                    self.assertEqual(evaluate(program, case["answer"]).outcome, case["outcome"])
                    answers += 1
        self.assertGreater(answers, 100)

    def test_the_worst_is_soon_done(self):
        """Long patterns on texts that together are as long as an answer may be."""
        pattern = "[^\\u0000-\\u0001].{0,31}a" * 10
        asked = [{"assert": "matches", "path": str(index), "pattern": pattern} for index in range(8)]
        rules = [{"when": {"assert": "any", "of": asked}, "outcome": "y"}] * 3
        program = parse_program({"expectedOutcome": "y", "rules": rules}, ["y"])
        answer = ["".join(chr(0x4000 + i * (j + 7) % 4096) for i in range(4096)) for j in range(8)]
        begun = time.process_time()
        self.assertEqual(evaluate(program, answer).outcome, "void")
        self.assertLess(time.process_time() - begun, 10)

    def test_a_program_of_made_up_properties_is_soon_refused(self):
        program = {"rules": [], **{str(index): 1 for index in range(40_000)}}
        begun = time.process_time()
        with self.assertRaises(CheckerRefusal) as caught:
            parse_program(program, ["y"])
        self.assertEqual(caught.exception.field, "checkerProgram")
        self.assertLess(time.process_time() - begun, 10)


class Findings(unittest.TestCase):
    def test_what_is_none_is_refused(self):
        declaration = {"statement": "s", "checker": {"rules": []}}
        whole = {"format": "svc-finding-attachment-v1", "dataset": 1, "result": 1, "declaration": declaration}
        for value in (None, [], {}, {**whole, "format": "x"}, {**whole, "declaration": 1}, whole):
            self.assertRaises(FindingError, verify_finding, value)


class Sources(unittest.TestCase):
    def test_are_python_3_9(self):
        folder = Path(agent_forum.__file__).parent
        for path in folder.rglob("*.py"):
            ast.parse(path.read_text("utf-8"), feature_version=(3, 9))


if __name__ == "__main__":
    unittest.main()
