"""A hub of our own on loopback, for the official client to talk to: accounts, commits, large files, and faults.

Standard library only. It keeps everything in memory, and does on purpose whatever a test asks for: refuse, answer
errors, break connections off, let two commits meet.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import yaml

from semifactual.resources import template_lines

OWNER, WRITE_TOKEN, READ_TOKEN = "someone", "hf_writeWriteWrite0123456789", "hf_readReadRead0123456789"
SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "n>1T")
TASKS = ("text-generation", "question-answering", "other")
LARGE = 10 * 1024 * 1024


@dataclass
class Commit:
    """One state of a branch."""

    oid: str
    files: dict[str, bytes]
    title: str


@dataclass
class Repo:
    """One dataset repository."""

    private: bool = False
    branches: dict[str, list[Commit]] = field(default_factory=dict)

    def at(self, revision: str) -> Commit | None:
        if revision in self.branches:
            return self.branches[revision][-1]
        return next((c for commits in self.branches.values() for c in commits if c.oid == revision), None)


@dataclass
class Fault:
    """What goes wrong with requests whose "METHOD path" matches, so many times."""

    pattern: str
    times: int
    status: int | None = None
    """The answer; None breaks the connection off."""
    headers: dict[str, str] = field(default_factory=dict)
    after_bytes: int = 0
    """So much of the body is read before the connection breaks."""
    after_done: bool = False
    """The request is granted, and only its answer lost."""


class Hub:
    """The server and all that it holds."""

    def __init__(self) -> None:
        hub = self

        class Handler(_Handler):
            state = hub

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.reset()
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def reset(self) -> None:
        """Forget everything."""
        self.repos: dict[str, Repo] = {}
        self.objects: dict[str, bytes] = {}
        self.faults: list[Fault] = []
        self.requests: list[str] = []
        self.uploads: Counter[str] = Counter()
        self.meeting: threading.Barrier | None = None
        """Where set, a commit waits here until as many have come as it wants."""
        self.tokens = {WRITE_TOKEN: "write", READ_TOKEN: "read"}
        self.lock = threading.Lock()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def fail(self, pattern: str, times: int = 1, **how: Any) -> Fault:
        """Let matching requests go wrong."""
        self.faults.append(Fault(pattern, times, **how))
        return self.faults[-1]

    def put(self, name: str, files: dict[str, bytes], *, private: bool = False) -> Repo:
        """A repository that was there before."""
        self.repos[name] = repo = Repo(private)
        self.add_commit(repo, "main", files, "initial commit")
        return repo

    def add_commit(self, repo: Repo, branch: str, files: dict[str, bytes], title: str) -> Commit:
        seed = repr((branch, sorted(files), [hashlib.sha1(f).hexdigest() for f in files.values()], time.time_ns()))
        commit = Commit(hashlib.sha1(seed.encode()).hexdigest(), files, title)
        repo.branches.setdefault(branch, []).append(commit)
        return commit

    def files(self, name: str, revision: str = "main") -> dict[str, bytes]:
        """What a branch holds now."""
        commit = self.repos[name].at(revision)
        assert commit is not None
        return commit.files

    def commits(self, name: str, branch: str = "main") -> list[str]:
        """The titles of a branch's commits, the one that makes the repository aside."""
        return [commit.title for commit in self.repos[name].branches[branch][1:]]

    def asked(self, pattern: str) -> int:
        """How many requests matched."""
        return sum(re.search(pattern, request) is not None for request in self.requests)


class _Handler(BaseHTTPRequestHandler):
    state: Hub
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._serve()

    do_HEAD = do_POST = do_PUT = do_DELETE = do_GET

    def _serve(self) -> None:
        address = urlsplit(self.path)
        self.query = parse_qs(address.query)
        path = unquote(address.path)
        request = f"{self.command} {path}"
        with self.state.lock:
            self.state.requests.append(request)
            fault = next((f for f in self.state.faults if f.times and re.search(f.pattern, request)), None)
            if fault is not None:
                fault.times -= 1
        length = int(self.headers.get("Content-Length", 0))
        if fault is not None and fault.status is None and not fault.after_done:
            self.rfile.read(min(length, fault.after_bytes))
            self._break_off()
            return
        self.body = self._read_chunks() if "chunked" in self.headers.get("Transfer-Encoding", "") else b""
        self.body = self.body or self.rfile.read(length)
        if fault is not None and fault.status is not None:
            self._answer(fault.status, b"<html>busy</html>", {"Content-Type": "text/html", **fault.headers})
            return
        self.lost = fault is not None
        self._route(path)

    def _route(self, path: str) -> None:
        for pattern, method in _ROUTES:
            if match := re.fullmatch(pattern, f"{self.command} {path}"):
                getattr(self, method)(**match.groupdict())
                return
        self._fail(404, "no such page", "NotFound")

    # Who asks, and what he may do.

    @property
    def right(self) -> str | None:
        """write, read, or None for nobody; a token that is unknown is "bad"."""
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        return self.state.tokens.get(token, "bad") if token else None

    def _may_write(self, owner: str) -> bool:
        if self.right in (None, "bad"):
            self._fail(401, "Invalid credentials in Authorization header")
        elif self.right != "write" or owner != OWNER:
            self._fail(403, "You don't have the rights to write there")
        else:
            return True
        return False

    def _repo(self, name: str) -> Repo | None:
        repo = self.state.repos.get(name)
        if self.right == "bad":
            self._fail(401, "Invalid credentials in Authorization header")
        elif repo is None or (repo.private and self.right is None):
            self._fail(401 if self.right is None else 404, "Repository not found", "RepoNotFound")
        else:
            return repo
        return None

    def _commit(self, name: str, revision: str) -> Commit | None:
        repo = self._repo(name)
        if repo is None:
            return None
        if (commit := repo.at(revision)) is None:
            self._fail(404, "Invalid rev id", "RevisionNotFound")
        return commit

    # What it answers.

    def whoami(self) -> None:
        if self.right in (None, "bad"):
            self._fail(401, "Invalid credentials in Authorization header")
        else:
            role = {"accessToken": {"displayName": "test", "role": self.right}}
            self._json({"type": "user", "name": OWNER, "orgs": [], "auth": role})

    def create(self) -> None:
        asked = json.loads(self.body)
        owner = asked.get("organization") or OWNER
        name = f"{owner}/{asked['name']}"
        if not self._may_write(owner):
            return
        with self.state.lock:
            known = name in self.state.repos
            if not known:
                private = asked.get("visibility") == "private" or bool(asked.get("private"))
                self.state.put(name, {".gitattributes": b"*.parquet filter=lfs\n"}, private=private)
        answer = {"url": f"{self.state.url}/datasets/{name}", "error": "You already created this dataset repo"}
        self._json(answer, 409 if known else 200)

    def branch(self, name: str, branch: str) -> None:
        if (repo := self._repo(name)) is None or not self._may_write(name.split("/")[0]):
            return
        with self.state.lock:
            known = branch in repo.branches
            if not known:
                repo.branches[branch] = [repo.branches["main"][-1]]
        self._json({}, 409 if known else 200)

    def validate(self) -> None:
        errors = front_matter_errors(json.loads(self.body)["content"])
        self._json({"errors": [{"message": error} for error in errors], "warnings": []}, 400 if errors else 200)

    def preupload(self, name: str, revision: str) -> None:
        if (commit := self._commit(name, revision)) is None or not self._may_write(name.split("/")[0]):
            return
        files = []
        for file in json.loads(self.body)["files"]:
            large = file["path"].endswith(".parquet") or file["size"] > LARGE
            known = commit.files.get(file["path"])
            oid = None if known is None else hashlib.sha256(known).hexdigest() if large else blob_id(known)
            mode = "lfs" if large else "regular"
            files.append({"path": file["path"], "uploadMode": mode, "shouldIgnore": False, "oid": oid})
        self._json({"files": files})

    def lfs_batch(self, name: str) -> None:
        if self._repo(name) is None or not self._may_write(name.split("/")[0]):
            return
        objects = []
        for asked in json.loads(self.body)["objects"]:
            one: dict[str, Any] = {"oid": asked["oid"], "size": asked["size"]}
            if asked["oid"] not in self.state.objects:
                one["actions"] = {"upload": {"href": f"{self.state.url}/lfs/{asked['oid']}"}}
            objects.append(one)
        self._json({"transfer": "basic", "objects": objects})

    def lfs_put(self, oid: str) -> None:
        if hashlib.sha256(self.body).hexdigest() != oid:
            self._fail(400, "the bytes are others than the oid says")
            return
        self.state.objects[oid] = self.body
        self.state.uploads[oid] += 1
        self._answer(200, b"", {})

    def commit(self, name: str, revision: str) -> None:
        repo = self._repo(name)
        if repo is None or not self._may_write(name.split("/")[0]):
            return
        if (meeting := self.state.meeting) is not None:
            meeting.wait(30)
        header, *changes = (json.loads(line) for line in self.body.splitlines())
        with self.state.lock:
            last = repo.at(revision)
            assert last is not None
            if header["value"].get("parentCommit", last.oid) != last.oid:
                answer: dict[str, Any] = {"error": "A commit has happened since. Please refresh and try again."}
                self._json(answer, 412)
                return
            files = dict(last.files)
            for change in changes:
                value = change["value"]
                if change["key"] == "file":
                    files[value["path"]] = base64.b64decode(value["content"])
                elif change["key"] == "lfsFile":
                    files[value["path"]] = self.state.objects[value["oid"]]
                else:
                    files.pop(value["path"])
            made = self.state.add_commit(repo, revision, files, header["value"]["summary"])
        page = f"{self.state.url}/datasets/{name}/commit/{made.oid}"
        self._json({"success": True, "commitOid": made.oid, "commitUrl": page})

    def info(self, name: str, revision: str = "main") -> None:
        if (commit := self._commit(name, revision)) is not None:
            siblings = [{"rfilename": path} for path in sorted(commit.files)]
            private = self.state.repos[name].private
            self._json({"id": name, "sha": commit.oid, "siblings": siblings, "private": private, "tags": []})

    def tree(self, name: str, revision: str, folder: str = "") -> None:
        if (commit := self._commit(name, revision)) is None:
            return
        inside = [path for path in sorted(commit.files) if path.startswith(f"{folder}/" if folder else "")]
        if folder and not inside:
            self._fail(404, "no such folder", "EntryNotFound")
            return
        recursive = self.query.get("recursive", ["false"])[0].lower() in ("true", "1")
        self._json(entries(commit, inside, folder, recursive))

    def paths(self, name: str, revision: str) -> None:
        if (commit := self._commit(name, revision)) is None:
            return
        body = self.body.decode()
        asked = json.loads(body)["paths"] if body.startswith("{") else parse_qs(body)["paths"]
        asked = [asked] if isinstance(asked, str) else asked
        found = [entry(commit, path) for path in asked if path in commit.files]
        folders = [path for path in asked if any(file.startswith(f"{path}/") for file in commit.files)]
        self._json(found + [folder_entry(path) for path in folders])

    def refs(self, name: str) -> None:
        if (repo := self._repo(name)) is not None:
            known = repo.branches.items()
            branches = [{"name": b, "ref": f"refs/heads/{b}", "targetCommit": c[-1].oid} for b, c in known]
            self._json({"branches": branches, "converts": [], "tags": []})

    def resolve(self, name: str, revision: str, path: str) -> None:
        if (commit := self._commit(name, revision)) is None:
            return
        if path not in commit.files:
            self._fail(404, "Entry not found", "EntryNotFound")
            return
        content = commit.files[path]
        large = path.endswith(".parquet")
        tag = hashlib.sha256(content).hexdigest() if large else blob_id(content)
        headers = {"ETag": f'"{tag}"', "X-Repo-Commit": commit.oid, "Accept-Ranges": "bytes"}
        if (wanted := self.headers.get("Range")) and self.command == "GET":
            first, _, last = wanted.removeprefix("bytes=").partition("-")
            start, stop = int(first), min(int(last or len(content) - 1), len(content) - 1)
            headers["Content-Range"] = f"bytes {start}-{stop}/{len(content)}"
            self._answer(206, content[start : stop + 1], headers)
        else:
            self._answer(200, content, headers)

    # How it answers.

    def _json(self, value: object, status: int = 200) -> None:
        self._answer(status, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def _fail(self, status: int, message: str, code: str = "") -> None:
        headers = {"X-Error-Message": message} | ({"X-Error-Code": code} if code else {})
        self._answer(status, json.dumps({"error": message}).encode(), headers)

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        if getattr(self, "lost", False):
            self._break_off()
            return
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _break_off(self) -> None:
        self.close_connection = True
        self.connection.close()

    def _read_chunks(self) -> bytes:
        body = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


_NAME, _REVISION = r"(?P<name>[^/]+/[^/]+)", r"(?P<revision>[^/]+)"
_API = f"/api/datasets/{_NAME}"
_ROUTES = (
    ("GET /api/whoami-v2", "whoami"),
    ("POST /api/repos/create", "create"),
    ("POST /api/validate-yaml", "validate"),
    (f"POST {_API}/branch/(?P<branch>.+)", "branch"),
    (f"POST {_API}/preupload/{_REVISION}", "preupload"),
    (f"POST {_API}/commit/{_REVISION}", "commit"),
    (f"POST {_API}/paths-info/{_REVISION}", "paths"),
    (f"GET {_API}/tree/{_REVISION}(?:/(?P<folder>.*?)/?)?", "tree"),
    (f"GET {_API}/refs", "refs"),
    (f"GET {_API}/revision/{_REVISION}", "info"),
    (f"GET {_API}", "info"),
    (rf"POST /datasets/{_NAME}\.git/info/lfs/objects/batch", "lfs_batch"),
    ("PUT /lfs/(?P<oid>[0-9a-f]{64})", "lfs_put"),
    (f"(?:GET|HEAD) /datasets/{_NAME}/resolve/{_REVISION}/(?P<path>.+)", "resolve"),
)


def front_matter_errors(card: str) -> list[str]:
    """What the real Hub would say of a dataset card's front matter, as far as its rules are known."""
    match = re.match(r"---\n(.*?)\n---\n", card, re.DOTALL)
    if match is None:
        return ["there is no front matter"]
    matter = yaml.safe_load(match[1])
    found = []
    if matter.get("license") not in template_lines("licences.txt"):
        found.append(f'"license" must be one of the known ones, not {matter.get("license")}')
    if not all(re.fullmatch("[a-z]{2,3}", language) for language in matter.get("language", [])):
        found.append('"language" must be ISO codes')
    found += [f'"task_categories": {t} is unknown' for t in matter.get("task_categories", []) if t not in TASKS]
    found += [f'"size_categories": {s} is unknown' for s in matter.get("size_categories", []) if s not in SIZES]
    for config in matter.get("configs", []):
        if not isinstance(config.get("config_name"), str) or "data_files" not in config:
            found.append('"configs" needs config_name and data_files')
    return found


def blob_id(content: bytes) -> str:
    return hashlib.sha1(f"blob {len(content)}\0".encode() + content).hexdigest()


def entry(commit: Commit, path: str) -> dict[str, Any]:
    content = commit.files[path]
    found: dict[str, Any] = {"type": "file", "path": path, "size": len(content), "oid": blob_id(content)}
    if path.endswith(".parquet") or len(content) > LARGE:
        found["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 130}
    return found


def folder_entry(path: str) -> dict[str, Any]:
    return {"type": "directory", "path": path, "oid": hashlib.sha1(path.encode()).hexdigest(), "size": 0}


def entries(commit: Commit, inside: list[str], folder: str, recursive: bool) -> list[dict[str, Any]]:
    """A folder's files and folders, and with `recursive` what those hold."""
    start = len(folder) + 1 if folder else 0
    files = [path for path in inside if recursive or "/" not in path[start:]]
    parents = {path[: match.start()] for path in inside for match in re.finditer("/", path) if match.start() > start}
    folders = [path for path in sorted(parents) if recursive or "/" not in path[start:]]
    return [folder_entry(path) for path in folders] + [entry(commit, path) for path in files]
