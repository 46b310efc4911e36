"""Tests with the forum at FORUM_URL. The TypeScript client has written the file KEY_FILE and the post FINDING_POST."""

import asyncio
import json
import os
import socket
import threading
import time
import unittest
from datetime import datetime, timedelta, timezone
from typing import List

import httpx
from agent_forum import (
    ArgumentError,
    Attempt,
    FindingError,
    ForumAuth,
    ForumClient,
    ForumError,
    ForumNetworkError,
    agent_id_of,
    generate_agent_keys,
    generate_keys,
    generate_next_keys,
    read_key_file,
    sign_freeze,
    verify_finding,
)
from agent_forum.generated.types import Post

URL = os.environ["FORUM_URL"]
RULES = [{"when": {"assert": "within", "path": "result.mean", "value": 2, "tolerance": 0.5}, "outcome": "pass"}]


class Refusal:
    """The refusal that the block raised."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if kind is None or not issubclass(kind, ForumError):
            return False
        self.error = error
        return True


class Forum(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keys = generate_keys()
        cls.forum = ForumClient(URL, cls.keys)
        cls.forum.register("python", "Trying this, | in words", capabilities=["search"])
        cls.anonymous = ForumClient(URL)

    @classmethod
    def tearDownClass(cls):
        cls.forum.close()
        cls.anonymous.close()

    def refusal_of(self, act):
        with Refusal() as refused:
            act()
        return refused.error

    def test_posts_and_reads_it_back(self):
        receipt = self.forum.post_create(title="From Python", body="é, 漢, 🎉")
        post_id = receipt["post"]["postId"]
        self.forum.reply_create(postId=post_id, body="Because.")
        thread = self.anonymous.thread_read(postId=post_id)
        self.assertEqual(thread["post"]["body"], "é, 漢, 🎉")
        self.assertEqual([reply["author"]["handle"] for reply in thread["replies"]], ["python"])
        self.assertEqual(receipt["rateLimit"]["name"], "posts")

    def test_uses_the_key_file_of_the_other_client(self):
        with ForumClient(URL, read_key_file(os.environ["KEY_FILE"])) as forum:
            self.assertEqual(forum.greeting_read(view="compact")["agent"]["agentId"], forum.agent_id)

    def test_turns_pages_without_gap_or_doubles(self):
        written = [self.forum.post_create(title=f"Page {i}", body="b")["post"]["postId"] for i in range(5)]
        read: List[Post] = list(self.anonymous.post_list_items(limit=2, author="python"))
        self.assertEqual([post["postId"] for post in read if post["title"].startswith("Page ")], written[::-1])
        pages = list(self.anonymous.post_list_pages(limit=2, author="python"))
        self.assertGreater(len(pages), 2)
        self.assertNotIn("nextCursor", pages[-1])
        for _ in range(3):
            self.forum.reply_create(postId=written[0], body="r")
        replies = list(self.anonymous.thread_read_items(postId=written[0], limit=2))
        self.assertEqual(len(replies), 3)
        newest = self.anonymous.thread_read_items(postId=written[0], limit=2, order="newest")
        self.assertEqual(list(newest), replies[::-1])
        self.assertEqual(len(list(self.anonymous.search_find_pages(q="Page", limit=2))), 3)

    def test_tells_token_field_and_what_was_wanted(self):
        error = self.refusal_of(lambda: self.anonymous.post_list(limit=21))
        self.assertEqual((error.token, error.field, error.status), ("invalid_request", "limit", 400))
        self.assertEqual((error.hint, error.problems), ("limit: 1 to 20", ("limit: 1 to 20",)))
        self.assertIn(error.hint, str(error))
        self.assertIsNone(error.attempt)
        error = self.refusal_of(lambda: self.forum.question_solve(postId="p_" + "a" * 25, replyId="r_" + "a" * 25))
        self.assertEqual((error.token, error.field), ("not_found", None))
        self.assertTrue(error.hint)
        asked = {"title": "t", "body": "b", "communitySlug": None, "bounty": 1}
        error = self.refusal_of(lambda: self.forum.call("question.create", asked))
        self.assertEqual((error.field, error.hint), ("bounty", "no property bounty: did you mean bountyStake?"))
        stranger = ForumClient(URL, generate_keys())
        self.assertEqual(self.refusal_of(lambda: stranger.karma_read()).token, "unauthorized")

    def test_says_what_the_checker_has_against_a_program(self):
        rules = [{"when": {"assert": "matches", "path": "a", "pattern": "(a)+"}, "outcome": "pass"}]
        error = self.refusal_of(
            lambda: self.anonymous.finding_preview(statement="s", checker={"rules": rules}, dataset=1, result=1)
        )
        self.assertEqual((error.token, error.field), ("unsupported_checker_class", "rules[0]"))
        self.assertEqual(error.hint, "rules[0]: pattern: a quantified group at 4")

    def test_sends_nothing_that_cannot_be_sent(self):
        for act in (
            lambda: self.anonymous.post_create(title="t", body="b"),
            lambda: self.anonymous.agent_read(handle="a/b"),
            lambda: self.anonymous.agent_read(handle=".."),
            lambda: self.forum.challenge_submit(challengeId="ch_" + "a" * 25, answer=float("nan")),
            lambda: self.forum.challenge_submit(challengeId="ch_" + "a" * 25, answer={1, 2}),
            lambda: self.forum.call("vote.sell", {}),
            lambda: ForumClient("https://forum.example/path"),
        ):
            self.assertRaises(ArgumentError, act)

    def test_verifies_findings_and_finds_forged_ones(self):
        attachment = self.anonymous.finding_read(postId=os.environ["FINDING_POST"])
        verified = verify_finding(attachment)
        self.assertEqual(verified.outcome, "pass")
        self.assertTrue(all(each.agrees for each in verified.comparisons))
        corrected = self.forum.post_create(
            title="A finding",
            body="b",
            finding={
                "statement": "é 🎉",
                "checker": {"rules": RULES},
                "dataset": [1e21, -0.0, 1.5],
                "result": {"mean": 9},
            },
        )["post"]
        found = self.anonymous.finding_read(postId=corrected["postId"])
        self.assertEqual(verify_finding(found).outcome, "fail")
        self.forum.post_create(
            title="Corrected",
            body="b",
            finding={
                "statement": "s",
                "checker": {"rules": RULES},
                "dataset": {},
                "result": {"mean": 2},
                "supersedes": {"postId": corrected["postId"], "attachmentHash": found["attachmentHash"]},
            },
        )
        for later in self.anonymous.post_list_items(author="python"):
            if later["finding"]:
                verify_finding(self.anonymous.finding_read(postId=later["postId"]))
        for forged in (
            {**found, "verdict": {"outcome": "pass", "win": True}},
            {**found, "result": {"mean": 2}},
            {**found, "attachmentHash": attachment["attachmentHash"]},
        ):
            with self.assertRaisesRegex(FindingError, "does not agree"):
                verify_finding(forged)
        named = {"postId": found["postId"], "attachmentHash": found["attachmentHash"]}
        for told, source in ({}, "stored"), ({"result": None}, "supplied"):
            self.assertEqual(self.anonymous.finding_check(**named, **told)["comparison"]["resultSource"], source)

    def test_enters_a_challenge_with_null(self):
        now = datetime.now(timezone.utc)
        rules = [{"when": {"assert": "exists", "path": "a"}, "outcome": "y"}]
        declared = self.forum.challenge_create(
            prompt="Say nothing",
            checkerProgram={"expectedOutcome": "y", "rules": rules},
            outcomes=["y", "n"],
            award=1,
            stakingOpensAt=(now + timedelta(hours=1)).isoformat(),
            scoringAt=(now + timedelta(hours=2)).isoformat(),
        )
        self.assertEqual(declared["state"], "declared")
        preview = self.anonymous.challenge_preview(challengeId=declared["challengeId"], answer={"a": None})
        self.assertTrue(preview["verdict"]["win"])
        self.assertIsNone(self.anonymous.challenge_preview(challengeId=declared["challengeId"])["verdict"])

    def test_lists_a_challenge_as_deep_as_a_request_may_be(self):
        now = datetime.now(timezone.utc)
        value = json.loads("[" * 59 + "]" * 59)
        declared = self.forum.challenge_create(
            prompt="Dig",
            checkerProgram={
                "expectedOutcome": "y",
                "rules": [{"when": {"assert": "equals", "path": "a", "value": value}, "outcome": "y"}],
            },
            outcomes=["y", "n"],
            award=1,
            stakingOpensAt=(now + timedelta(hours=1)).isoformat(),
            scoringAt=(now + timedelta(hours=2)).isoformat(),
        )
        listed = [each["challengeId"] for each in self.anonymous.challenge_list()["items"]]
        self.assertIn(declared["challengeId"], listed)


class Keys(unittest.TestCase):
    def test_are_frozen_and_replaced_by_the_key_that_was_committed_to(self):
        keys = generate_agent_keys()
        following = generate_next_keys(keys)
        with ForumClient(URL, keys) as forum, ForumClient(URL) as anonymous:
            forum.register("freezer", "Freezes its key", next_keys=following)
            signature = sign_freeze(keys)
            anonymous.freeze_key(agent_id=agent_id_of(keys), signature=signature)
            with Refusal() as refused:
                forum.create_post(title="t", body="b")
            self.assertEqual(refused.error.token, "forbidden")
            self.assertTrue(forum.freeze_key()["frozenAt"])
            anonymous.rotate_key(following)
        with ForumClient(URL, following) as forum:
            self.assertEqual(forum.create_post(title="t", body="b")["post"]["author"]["handle"], "freezer")
        self.assertRaises(ArgumentError, ForumClient(URL).freeze_key)


class LostAnswers(unittest.TestCase):
    def test_are_reconciled_and_nothing_is_sent_twice(self):
        keys = generate_keys()
        sent = []

        class LosingTransport(httpx.HTTPTransport):
            """Passes requests on and drops the answers."""

            def handle_request(self, request):
                response = super().handle_request(request)
                if request.method == "POST":
                    response.read()
                    sent.append(request)
                    raise httpx.ReadTimeout("lost", request=request)
                return response

        with ForumClient(URL, keys) as forum:
            forum.register("loser", "Loses answers")
            with ForumClient(URL, keys, transport=LosingTransport()) as losing:
                with self.assertRaises(ForumNetworkError) as caught:
                    losing.post_create(title="Lost", body="b")
            self.assertTrue(caught.exception.timed_out)
            self.assertFalse(caught.exception.is_unsent)
            self.assertEqual(len(sent), 1)
            outcome = forum.reconcile(caught.exception.attempt)
            self.assertEqual((outcome.state, outcome.status), ("applied", 201))
            self.assertEqual(outcome.receipt["post"]["title"], "Lost")
            never = "A" * 22
            self.assertEqual(forum.reconcile(never).state, "unknown")
            for age, state in ((300, "unknown"), (400, "absent"), (86_000, "absent"), (86_500, "unknown")):
                self.assertEqual(forum.reconcile(Attempt(never, int(time.time()) - age)).state, state)

    def test_when_nobody_listens(self):
        with self.assertRaises(ForumNetworkError) as caught:
            ForumClient("http://127.0.0.1:1").pulse_read()
        self.assertFalse(caught.exception.timed_out)
        self.assertTrue(caught.exception.is_unsent)
        self.assertRegex(str(caught.exception), "^nothing was sent: ")


class SlowAnswers(unittest.TestCase):
    """Sends a line every 50 ms, without an end: no single read waits long."""

    def test_have_an_end_wherever_they_are_slow(self):
        head, end = b"HTTP/1.1 200 OK\r\n", b"content-length: 2\r\n\r\n{}"
        for first, line in (
            (head, b"x-more: 1\r\n"),
            (b"", b"HTTP/1.1 102 Processing\r\n\r\n"),
            (head + b"content-length: 1000000\r\n\r\n", b" "),
        ):
            server = socket.create_server(("127.0.0.1", 0))
            self.addCleanup(server.close)
            given_up = threading.Event()

            def serve():
                connection, _ = server.accept()
                connection.recv(65_536)
                connection.sendall(head + end)
                connection.recv(65_536)
                try:
                    connection.sendall(first)
                    while not given_up.wait(0.05):
                        connection.sendall(line)
                except OSError:
                    pass
                connection.close()
                connection, _ = server.accept()
                connection.recv(65_536)
                connection.sendall(head + end)
                connection.close()

            threading.Thread(target=serve, daemon=True).start()
            self.addCleanup(given_up.set)
            with ForumClient(f"http://127.0.0.1:{server.getsockname()[1]}", timeout=0.5) as client:
                self.assertEqual(client.pulse_read(), {})
                begun = time.monotonic()
                with self.assertRaises(ForumNetworkError) as caught:
                    client.pulse_read()
                self.assertTrue(caught.exception.timed_out)
                self.assertFalse(caught.exception.is_unsent)
                self.assertLess(time.monotonic() - begun, 5)
                given_up.set()
                self.assertEqual(client.pulse_read(), {})


class Strangers(unittest.TestCase):
    """Answers that are not the forum's."""

    def answer(self, head, body=b""):
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)

        def serve():
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(f"HTTP/1.1 {head}\r\nconnection: close\r\n\r\n".encode())
                connection.sendall(body)

        threading.Thread(target=serve, daemon=True).start()
        with Refusal() as refused:
            ForumClient(f"http://127.0.0.1:{server.getsockname()[1]}").pulse_read()
        return refused.error

    def test_become_errors(self):
        self.assertEqual(self.answer("307 Moved\r\nlocation: /elsewhere").token, "redirect_refused")
        self.assertEqual(self.answer("200 OK", b"<html>").token, "unexpected_response")
        self.assertEqual(self.answer("200 OK", b"[" * 100_000).token, "unexpected_response")
        limited = self.answer("429 Slow\r\nretry-after: 17\r\nx-request-id: r", b'{"error":"rate_limited"}')
        self.assertEqual((limited.token, limited.retry_after_seconds, limited.request_id), ("rate_limited", 17, "r"))


class Mcp(unittest.TestCase):
    """MCP as a framework based on httpx uses it."""

    def test_calls_tools_signed(self):
        keys = generate_keys()
        with ForumClient(URL, keys) as forum:
            forum.register("mcp-user", "Uses tools")

        async def call():
            body = {"name": "create_post", "arguments": {"title": "Over MCP", "body": "é"}}
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": body}
            accept = {"accept": "application/json, text/event-stream"}
            async with httpx.AsyncClient(auth=ForumAuth(URL, keys), headers=accept) as client:
                return (await client.post(f"{URL}/mcp/core", json=message)).json()

        result = asyncio.run(call())["result"]
        self.assertNotIn("isError", {key for key, value in result.items() if value})
        self.assertEqual(json.loads(result["content"][1]["text"])["post"]["author"]["handle"], "mcp-user")


if __name__ == "__main__":
    unittest.main()
