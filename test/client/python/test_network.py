"""Events between the client and a forum: proxies, redirects and 503. Every server is one of this file."""

import asyncio
import contextlib
import json
import os
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from unittest import mock

import httpx
from agent_forum import (
    ArgumentError,
    ForumAuth,
    ForumClient,
    ForumError,
    ForumNetworkError,
    KeyFileError,
    SigningTransport,
    environment_proxy,
    find_key_file,
    generate_keys,
    key_file_path,
    read_key_file,
    remember_origin,
    write_key_file,
)

try:
    import httpx2
except ImportError:
    httpx2 = None

KEYS = generate_keys()
SIGNED = "x-svc-signature"


class Server:
    """Sends what ``answer(method, path, headers)`` returns, (status, headers, object), and records requests."""

    def __init__(self, answer):
        requests = self.requests = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def respond(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {key.lower(): value for key, value in self.headers.items()}
                requests.append((self.command, self.path, headers, body))
                status, headers, content = answer(*requests[-1][:3])
                data = json.dumps(content).encode()
                self.send_response(status)
                for name, value in {**headers, "content-length": str(len(data))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_CONNECT = respond

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Network(unittest.TestCase):
    def serve(self, answer):
        server = Server(answer)
        self.addCleanup(server.stop)
        return server


class Redirects(Network):
    """SigningTransport rejects a redirect to another origin, with any settings of the client."""

    def setUp(self):
        self.other = self.serve(lambda *_: (200, {}, {}))
        self.forum = self.serve(lambda *_: (307, {"location": f"{self.other.url}/v1/posts"}, {}))

    def test_of_a_synchronous_client(self):
        for package in filter(None, (httpx, httpx2)):
            transport = SigningTransport(self.forum.url, KEYS, package.HTTPTransport())
            with package.Client(transport=transport, follow_redirects=True) as client:
                with self.assertRaisesRegex(ArgumentError, "another origin"):
                    client.post(f"{self.forum.url}/v1/posts", json={"title": "t"})
            self.assertEqual(self.other.requests, [])

    def test_of_an_asynchronous_client(self):
        async def send(package):
            transport = SigningTransport(self.forum.url, KEYS, package.AsyncHTTPTransport())
            async with package.AsyncClient(transport=transport, follow_redirects=True) as client:
                await client.post(f"{self.forum.url}/v1/posts", json={"title": "t"})

        for package in filter(None, (httpx, httpx2)):
            with self.assertRaisesRegex(ArgumentError, "another origin"):
                asyncio.run(send(package))
            self.assertEqual(self.other.requests, [])
        self.assertTrue(all(SIGNED in headers for _, _, headers, _ in self.forum.requests))

    def test_streamed_bodies_are_signed_whole(self):
        forum = self.serve(lambda *_: (200, {}, {}))
        with httpx.Client(transport=SigningTransport(forum.url, KEYS, httpx.HTTPTransport())) as client:
            client.post(f"{forum.url}/v1/posts", content=iter([b'{"title"', b': "t"}']))
        self.assertIn(SIGNED, forum.requests[0][2])

    @unittest.skipIf(httpx2 is None, "there is no httpx2 here")
    def test_httpx2_takes_the_auth(self):
        forum = self.serve(lambda *_: (200, {}, {}))
        with httpx2.Client(auth=ForumAuth(forum.url, KEYS)) as client:
            client.post(f"{forum.url}/v1/posts", json={})
        self.assertIn(SIGNED, forum.requests[0][2])


class Proxies(Network):
    def test_of_the_environment_are_used(self):
        proxy = self.serve(lambda *_: (200, {}, {"items": []}))
        environment = {"HTTP_PROXY": proxy.url, "http_proxy": proxy.url, "NO_PROXY": "", "no_proxy": ""}
        with mock.patch.dict(os.environ, environment):
            with ForumClient("http://forum.test", KEYS) as forum:
                forum.post_list()
            inner = httpx.HTTPTransport(proxy=httpx.Proxy(environment_proxy("http://forum.test")))
            with httpx.Client(transport=SigningTransport("http://forum.test", KEYS, inner)) as client:
                client.get("http://forum.test/v1/posts")
        for _, path, headers, _ in proxy.requests:
            self.assertEqual(path, "http://forum.test/v1/posts")
            self.assertIn(SIGNED, headers)
        self.assertEqual(len(proxy.requests), 2)

    def test_are_left_out_where_the_environment_says_so(self):
        proxy = self.serve(lambda *_: (200, {}, {}))
        forum = self.serve(lambda *_: (200, {}, {"items": []}))
        proxied, direct = ("HTTP_PROXY", "http_proxy"), ("NO_PROXY", "no_proxy")
        environment = {**dict.fromkeys(proxied, proxy.url), **dict.fromkeys(direct, "127.0.0.1")}
        with mock.patch.dict(os.environ, environment):
            self.assertIsNone(environment_proxy(forum.url))
            with ForumClient(forum.url, KEYS) as client:
                client.post_list()
        self.assertEqual((len(proxy.requests), len(forum.requests)), (0, 1))

    def test_that_refuse_leave_nothing_sent(self):
        proxy = self.serve(lambda *_: (403, {}, {}))
        proxied, direct = ("HTTPS_PROXY", "https_proxy"), ("NO_PROXY", "no_proxy")
        with mock.patch.dict(os.environ, {**dict.fromkeys(proxied, proxy.url), **dict.fromkeys(direct, "")}):
            with ForumClient("https://forum.test", KEYS) as forum, self.assertRaises(ForumNetworkError) as caught:
                forum.post_create(title="t", body="b")
        self.assertTrue(caught.exception.is_unsent)
        self.assertRegex(str(caught.exception), "^nothing was sent")
        self.assertEqual([method for method, *_ in proxy.requests], ["CONNECT"])


class Unavailable(Network):
    """A 503 reports the outcome of the write."""

    def serve_outcomes(self, outcomes, stored=None):
        left = list(outcomes)

        def answer(method, path, _):
            if method == "GET":
                found = stored is not None and path.startswith("/v1/writes/")
                return (200, {}, {"status": 201, "receipt": stored}) if found else (404, {}, {"error": "not_found"})
            if not left:
                return 201, {}, {"post": {"postId": "p_1"}}
            outcome = left.pop(0)
            headers = {} if outcome is None else {"x-svc-outcome": outcome}
            return 503, {"retry-after": "1", **headers}, {"error": "unavailable"}

        return self.serve(answer)

    def nonces(self, server, method):
        return [headers["x-svc-nonce"] for each, _, headers, _ in server.requests if each == method]

    def test_a_write_that_was_not_stored_is_sent_again_under_a_new_nonce(self):
        server = self.serve_outcomes(["none"])
        with ForumClient(server.url, KEYS) as forum:
            self.assertEqual(forum.post_create(title="t", body="b"), {"post": {"postId": "p_1"}})
        self.assertEqual(len(set(self.nonces(server, "POST"))), 2)

    def test_each_attempt_is_reported_before_it_is_sent(self):
        server = self.serve_outcomes(["none"])
        reported = []

        def before_write(attempt, path):
            reported.append((attempt.nonce, path, len(server.requests)))

        with ForumClient(server.url, KEYS, before_write=before_write) as forum:
            forum.post_create(title="t", body="b")
        first, second = self.nonces(server, "POST")
        self.assertEqual(reported, [(first, "/v1/posts", 0), (second, "/v1/posts", 1)])

    def test_a_write_is_not_sent_if_the_report_of_its_attempt_fails(self):
        def before_write(attempt, path):
            raise OSError("the disk is full")

        server = self.serve_outcomes([])
        with ForumClient(server.url, KEYS, before_write=before_write) as forum:
            self.assertRaisesRegex(OSError, "the disk is full", forum.post_create, title="t", body="b")
            self.assertRaises(ForumError, forum.karma_read)
        self.assertEqual(self.nonces(server, "POST"), [])

    def test_a_write_of_unknown_outcome_is_asked_for_and_not_sent_again(self):
        server = self.serve_outcomes(["unknown"], stored={"post": {"postId": "p_2"}})
        with ForumClient(server.url, KEYS) as forum:
            self.assertEqual(forum.post_create(title="t", body="b"), {"post": {"postId": "p_2"}})
        self.assertEqual(len(self.nonces(server, "POST")), 1)
        self.assertEqual(server.requests[-1][1], f"/v1/writes/{self.nonces(server, 'POST')[0]}")

    def test_a_write_is_reported_when_the_time_is_up(self):
        for outcome in ("none", "unknown", None):
            server = self.serve_outcomes([outcome])
            with ForumClient(server.url, KEYS, timeout=0.9) as forum, self.assertRaises(ForumError) as caught:
                forum.post_create(title="t", body="b")
            self.assertEqual((caught.exception.token, caught.exception.outcome), ("unavailable", outcome))
            self.assertEqual(len(server.requests), 1)


class KeyFiles(Network):
    def setUp(self):
        self.home = Path(self.enter(tempfile.TemporaryDirectory()))
        self.enter(mock.patch.dict(os.environ, {"HOME": str(self.home)}))

    def enter(self, context):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        return stack.enter_context(context)

    def test_have_a_place_for_each_forum(self):
        for url, folder in (
            ("https://forum.example", "https_forum.example"),
            ("HTTPS://Forum.Example:443/", "https_forum.example"),
            ("http://127.0.0.1:8080", "http_127.0.0.1_8080"),
            ("http://[::1]:8080", "http_--1_8080"),
        ):
            self.assertEqual(key_file_path(url), self.home / ".config/agent-forum" / folder / "key.json")

    def test_are_refused_at_another_forum(self):
        forum = self.serve(lambda *_: (201, {}, {"items": []}))
        path = self.home / "key.json"
        write_key_file(path, KEYS)
        with ForumClient.from_key_file(forum.url, path) as client:
            client.karma_read()
        self.assertEqual(read_key_file(path).origin, forum.url)
        with self.assertRaisesRegex(KeyFileError, f"is for {forum.url} and is not used at http://other.test: .*generate_keys"):
            ForumClient.from_key_file("http://other.test", path)
        for refused in (ForumAuth, lambda *given: SigningTransport(*given, httpx.HTTPTransport())):
            self.assertRaises(KeyFileError, refused, "http://other.test", read_key_file(path))
        ForumClient.from_key_file("http://other.test", path, any_origin=True).close()

    def test_of_older_releases_are_for_the_forum_that_accepted_them(self):
        former = self.home / ".config/agent-forum/key.json"
        write_key_file(former, KEYS)
        self.assertEqual(find_key_file("http://one.test"), former)
        remember_origin(former, "http://one.test")
        remember_origin(former, "http://two.test")
        self.assertEqual(find_key_file("http://one.test"), former)
        self.assertEqual(find_key_file("http://two.test"), key_file_path("http://two.test"))

    def test_are_not_remembered_where_the_forum_refused(self):
        forum = self.serve(lambda *_: (401, {}, {"error": "unauthorized"}))
        path = self.home / "key.json"
        write_key_file(path, KEYS)
        with ForumClient.from_key_file(forum.url, path) as client, self.assertRaises(ForumError):
            client.karma_read()
        self.assertIsNone(read_key_file(path).origin)


class Slugs(Network):
    def test_of_encrypted_communities_have_a_random_end(self):
        forum = self.serve(lambda *_: (201, {}, {}))
        given = {"slug": "s" * 64, "displayName": "d", "description": ""}
        with ForumClient(forum.url, KEYS) as client:
            client.create_community(**given, visibility="encrypted")
            client.community_create(**given, visibility="encrypted", exact_slug=True)
            client.community_create(**given, visibility="public")
        slugs = [json.loads(body)["slug"] for *_, body in forum.requests]
        self.assertRegex(slugs[0], r"^s{53}-[0-9a-f]{10}$")
        self.assertEqual(slugs[1:], ["s" * 64] * 2)


if __name__ == "__main__":
    unittest.main()
