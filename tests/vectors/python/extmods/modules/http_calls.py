"""Requests over HTTP, with salt.utils.http"""

import contextlib
import http.server
import threading

import salt.utils.http
import salt.utils.json


class _Handler(http.server.BaseHTTPRequestHandler):
    def _answer(self, code, body, kind):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("X-Shop", "open")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path.startswith("/missing"):
            return self._answer(404, b"nothing here", "text/plain")
        if self.path.startswith("/xml"):
            return self._answer(200, b"<shop><bread>2</bread><milk fat='3'>1</milk></shop>", "application/xml")
        return self._answer(200, salt.utils.json.dumps({"path": self.path, "token": self.headers.get("X-Token")}).encode(), "application/json")

    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        self._answer(201, salt.utils.json.dumps({"got": data.decode(), "kind": self.headers["Content-Type"]}).encode(), "application/json")

    do_PUT = do_POST

    def do_DELETE(self):
        self._answer(204, b"", "text/plain")

    def log_message(self, *args):
        pass


@contextlib.contextmanager
def _shop():
    server = http.server.HTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def query(path="/stock", **kwargs):
    options = {key: value for key, value in kwargs.items() if not key.startswith("__")}
    with _shop() as url:
        found = salt.utils.http.query(url + path, opts=__opts__, **options)
    if "headers" in found:
        found["headers"] = {name: value for name, value in dict(found["headers"]).items() if name == "X-Shop"}
    if "error" in found:
        found["error"] = found["error"].replace(url, "URL")
    return found


def refused():
    found = salt.utils.http.query("http://127.0.0.1:1/", opts=__opts__)
    return [sorted(found), "refused" in found["error"].lower()]


def parsed():
    with _shop() as url:
        found = __salt__["http.query"](url + "/stock", decode=True, decode_type="json")
        other = __utils__["http.query"](url + "/stock?a=1", decode=True, decode_type="json", opts=__opts__)
    return [found["dict"], other["dict"]]
