"""A hub on loopback that can be read from: one dataset repository, served from a folder at one revision."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

REVISION = "0123456789abcdef0123456789abcdef01234567"


@contextmanager
def serve(folder: Path, name: str) -> Iterator[str]:
    """The address of a hub that knows the dataset `name`, whose files are those of `folder`."""

    class Handler(_HubHandler):
        root = folder
        repository = name

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class _HubHandler(BaseHTTPRequestHandler):
    root: Path
    repository: str

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        if path.startswith(f"/datasets/{self.repository}/resolve/"):
            self._file(path.split("/resolve/")[1].partition("/")[2])
        elif not path.startswith(f"/api/datasets/{self.repository}"):
            self._answer(404, b"{}", {"X-Error-Code": "RepoNotFound"})
        elif "/tree/" in path:
            self._json(self._entries(path.split("/tree/")[1].partition("/")[2]))
        else:
            siblings = [{"rfilename": path.relative_to(self.root).as_posix()} for path in self._files()]
            self._json({"id": self.repository, "sha": REVISION, "siblings": siblings, "private": False, "tags": []})

    do_HEAD = do_GET

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self._json([self._entry(path) for path in self._files() if path.name in unquote(body)])

    def _files(self) -> list[Path]:
        return sorted(path for path in self.root.rglob("*") if path.is_file())

    def _entries(self, folder: str) -> list[dict[str, object]]:
        """What a folder of the repository holds, folders below it named but not entered."""
        return [self._entry(path) for path in sorted((self.root / folder).iterdir())]

    def _entry(self, path: Path) -> dict[str, object]:
        name = path.relative_to(self.root).as_posix()
        if path.is_dir():
            return {"type": "directory", "path": name, "oid": hashlib.sha1(name.encode()).hexdigest()}
        content = path.read_bytes()
        return {"type": "file", "path": name, "size": len(content), "oid": hashlib.sha1(content).hexdigest()}

    def _file(self, name: str) -> None:
        path = self.root / name
        if not path.is_file():
            self._answer(404, b"", {"X-Error-Code": "EntryNotFound"})
            return
        content = path.read_bytes()
        etag = {"ETag": f'"{hashlib.sha1(content).hexdigest()}"', "X-Repo-Commit": REVISION, "Accept-Ranges": "bytes"}
        if (wanted := self.headers.get("Range")) and self.command == "GET":
            first, _, last = wanted.removeprefix("bytes=").partition("-")
            start, stop = int(first), min(int(last or len(content) - 1), len(content) - 1)
            etag["Content-Range"] = f"bytes {start}-{stop}/{len(content)}"
            self._answer(206, content[start : stop + 1], etag)
        else:
            self._answer(200, content, etag)

    def _json(self, value: object) -> None:
        self._answer(200, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""
