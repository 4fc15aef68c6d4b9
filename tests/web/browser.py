"""A real browser for tests and pictures: Chromium of the system, driven by Playwright."""

import os
import shutil
import threading
import time
from contextlib import contextmanager

import uvicorn

from rekern.web.application import make_application
from rekern.web.server import open_socket

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--in-process-gpu",  # fewer processes, which take a good part of the time
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
]


def find_chromium() -> str | None:
    """The browser: that of REKERN_CHROMIUM, or the one on the path."""
    return os.environ.get("REKERN_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def open_browser(path):
    """Start the browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def serve_site(site):
    """Serve a site in a thread, and yield its address."""
    with open_socket("127.0.0.1", 0) as listener:
        server = uvicorn.Server(uvicorn.Config(make_application(site), log_level="critical", lifespan="on"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
