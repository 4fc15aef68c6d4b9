"""Database servers of the tests' own, on the loopback address, started from the system's packages."""

import glob
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def start_postgresql():
    """Yield the URL of a new PostgreSQL server; skip where none is installed."""
    initdb, server = find_program("initdb"), find_program("postgres")
    with make_folder("postgres") as (folder, account):
        data, port = folder / "data", find_port()
        made = [initdb, "--pgdata", data, "--auth", "trust", "--username", "rekern", "--encoding", "UTF8", "--no-sync"]
        run_as(account, [*made, "--locale", "C"])
        options = ["-D", data, "-p", str(port), "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-k", folder]
        with start_server([server, *options], account, port):
            yield f"postgresql+psycopg://rekern@127.0.0.1:{port}/postgres"


@contextmanager
def start_mariadb():
    """Yield the URL of a new MariaDB server, which speaks MySQL's protocol; skip where none is installed."""
    install, server = find_program("mariadb-install-db"), find_program("mariadbd")
    with make_folder("mysql") as (folder, account):
        data, port = folder / "data", find_port()
        run_as(account, [install, "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal"])
        options = [f"--datadir={data}", f"--port={port}", "--bind-address=127.0.0.1", f"--socket={folder}/socket"]
        with start_server([server, "--no-defaults", *options, f"--pid-file={folder}/pid"], account, port):
            yield f"mysql+pymysql://root@127.0.0.1:{port}/"


def find_program(name):
    places = [shutil.which(name), *sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}")), f"/usr/sbin/{name}"]
    for place in places:
        if place and os.access(place, os.X_OK):
            return place
    pytest.skip(f"{name} is not installed: install the system's packages postgresql and mariadb-server")


def find_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def make_folder(account):
    """A folder that the server may use, and the account to run it; servers refuse to be started by root."""
    with tempfile.TemporaryDirectory(prefix="rekern-") as name:
        folder = Path(name)
        if os.geteuid() != 0:
            account = None
        else:
            try:
                entry = pwd.getpwnam(account)
            except KeyError:
                pytest.skip(f"there is no account {account} to run the server")
            os.chown(folder, entry.pw_uid, entry.pw_gid)
        yield folder, account


def run_as(account, command):
    done = subprocess.run(command, user=account, cwd="/", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def start_server(command, account, port):
    process = subprocess.Popen(
        command, user=account, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        for _ in range(600):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, f"{command[0]} ended at once"
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(60)
