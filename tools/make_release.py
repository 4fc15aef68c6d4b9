"""Build what is published, and try it where the repository is not: ``make release VERSION=0.2.0``.

1. The version is written into ``src/rekern/core/version.py``, and the heading of the changelog gets it with the date.
2. The source archive and the wheel are built twice, from two copies of the files that git knows; their bytes
   must be the same.
3. The wheel is installed in a new environment. From an empty folder the demonstration and every command are run.
4. A software bill of materials of that environment is written beside them.
5. The extra "web" is added, and ``rekern serve`` answers requests.

Nothing is published and nothing is committed: the last lines say how. With ``--check`` no file of the repository is
changed, and the present version is built.
"""

import argparse
import datetime
import os
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
VERSION_FILE = ROOT / "src/rekern/core/version.py"
CHANGELOG = ROOT / "CHANGELOG.md"
HEADING = "## Unreleased\n"

# One line for every command, run in this order in one folder. "extra" marks commands whose optional library is not
# installed: they must say so in one line.
SMOKE = """
demo --pairs pairs --only-pairs
train pairs/train.tsv -o m.rekern
predict m.rekern pairs/test.tsv -o predicted.tsv
evaluate m.rekern pairs/test.tsv
explain m.rekern "Anna met Ben." "Ben was met by Anna."
rules m.rekern --json
report m.rekern pairs/test.tsv -o report.html
match pairs/test.tsv --text source --model m.rekern
gram pairs/test.tsv --kernel rules -o gram.npy
expressions pairs/train.tsv
question "Why is the sky blue?"
ask "What is the capital of Estonia?"
extra parse pairs/test.tsv -o parsed.jsonl
extra serve m.rekern
"""
# Paths that a server must answer; the pages, their style and the API come from files of the wheel.
PATHS = ("/", "/rules", "/file", "/ask", "/question", "/kernels", "/docs", "/api/health", "/openapi.json")
PATIENCE = 300  # seconds: the first request of a new environment compiles


def main() -> None:
    """Do all steps, and say what was done."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("version", nargs="?", help="the version to release, such as 0.2.0")
    options.add_argument("--check", action="store_true", help="build the present version and change no file")
    options.add_argument("--out", type=Path, default=ROOT / "dist", help="where the files are written")
    chosen = options.parse_args()
    if not chosen.check:
        if not re.fullmatch(r"\d+\.\d+\.\d+", chosen.version or ""):
            sys.exit("give the version: make release VERSION=0.2.0")
        set_version(chosen.version)
    shutil.rmtree(chosen.out, ignore_errors=True)
    chosen.out.mkdir(parents=True)
    with TemporaryDirectory() as folder:
        wheel = build_twice(Path(folder), chosen.out)
        try_wheel(wheel, Path(folder), chosen.out)
    for path in sorted(chosen.out.iterdir()):
        print(f"{path.stat().st_size:>9} bytes  {path.name}")
    if not chosen.check:
        print(f"To publish: git commit --all --message 'Version {chosen.version}' && git tag v{chosen.version}")
        print(f"            git push --tags && python -m twine upload {chosen.out}/*.whl {chosen.out}/*.tar.gz")


def set_version(version: str) -> None:
    """Write the version, and give what is new in the changelog its heading."""
    text = CHANGELOG.read_text(encoding="utf-8")
    news = text.partition(HEADING)[2].partition("\n## ")[0]
    if not news.strip():
        sys.exit("CHANGELOG.md has nothing under 'Unreleased'")
    today = datetime.date.today().isoformat()
    CHANGELOG.write_text(text.replace(HEADING, f"{HEADING}\n## {version} ({today})\n", 1), encoding="utf-8")
    source = VERSION_FILE.read_text(encoding="utf-8")
    VERSION_FILE.write_text(re.sub(r'= "[^"]+"', f'= "{version}"', source), encoding="utf-8")


def build_twice(folder: Path, out: Path) -> Path:
    """Build from two copies of the repository, compare the bytes, and return the wheel."""
    epoch = run("git", "log", "-1", "--format=%ct", cwd=ROOT).strip()
    built = []
    for name in ("one", "two"):
        copy_repository(folder / name)
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder / name / "out")]
        run(*command, cwd=folder / name, env={"SOURCE_DATE_EPOCH": epoch})
        built.append({path.name: path.read_bytes() for path in (folder / name / "out").iterdir()})
    if built[0] != built[1]:
        sys.exit("two builds of the same files differ")
    for name, data in built[0].items():
        (out / name).write_bytes(data)
    print(f"built twice with the same bytes: {', '.join(sorted(built[0]))}")
    return next(out.glob("*.whl"))


def copy_repository(target: Path) -> None:
    """Copy the files that git knows, as they are in the working tree."""
    for name in run("git", "ls-files", "-z", cwd=ROOT).split("\0"):
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target / name)


def try_wheel(wheel: Path, folder: Path, out: Path) -> None:
    """Install the wheel in a new environment, run every command from an empty folder, and list what is installed."""
    place = folder / "environment"
    venv.create(place, with_pip=True)
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))
    work = folder / "work"
    work.mkdir()
    rekern = [str(python), "-I", "-m", "rekern"]
    known = re.findall(r"^  (\w+)  ", run(*rekern, "--help", cwd=work).partition("Commands:")[2], re.MULTILINE)
    tried = {line.removeprefix("extra ").split()[0] for line in SMOKE.strip().splitlines()}
    if tried != set(known):
        differ = ", ".join(sorted(tried ^ set(known)))
        sys.exit(f"the smoke test and rekern --help differ in {differ}: change {Path(__file__).name}")
    run(*rekern, "demo", cwd=work)
    for line in SMOKE.strip().splitlines():
        needs_extra = line.startswith("extra ")
        arguments = [part.strip('"') for part in re.findall(r'"[^"]*"|\S+', line.removeprefix("extra "))]
        done = subprocess.run([*rekern, *arguments], cwd=work, capture_output=True, text=True, check=False)
        is_fine = done.returncode == (2 if needs_extra else 0)
        if not is_fine or (needs_extra and "pip install" not in done.stderr):
            sys.exit(f"rekern {line}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        print(f"ok: rekern {' '.join(arguments)}")
    target = out / f"{wheel.name.split('-py3')[0]}.cdx.json"
    options = ["--output-reproducible", "--of", "JSON", "-o", str(target)]
    run(sys.executable, "-m", "cyclonedx_py", "environment", *options, str(python))
    run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{wheel}[web]")
    try_server([*rekern, "serve", "m.rekern", "--port", "0", "--quiet", "--seconds", str(PATIENCE)], work)


def try_server(command: list[str], work: Path) -> None:
    """Start the server, ask for some paths, predict, and stop it."""
    with subprocess.Popen(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        assert server.stdout is not None
        try:
            said = server.stdout.readline()
            address = re.match(r"(http://\S+)/ ", said)
            if address is None:
                sys.exit(f"rekern serve: {said}{server.stdout.read()[-2000:]}")
            for path in PATHS:
                with urllib.request.urlopen(address[1] + path, timeout=PATIENCE) as answer:
                    answer.read()
            body = b'{"pairs": [{"source": "Anna met Ben.", "target": "Ben was met by Anna."}]}'
            request = urllib.request.Request(address[1] + "/api/predict", body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                answer.read()
        except urllib.error.HTTPError as error:
            sys.exit(f"rekern serve: {error.url}: {error} {error.read()[:500]!r}")
        finally:
            server.terminate()
    print(f"ok: rekern serve answers {', '.join(PATHS)} and /api/predict")


def run(*command: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Run a program, and return what it prints; if it fails, end with what it said."""
    done = subprocess.run(
        command, cwd=cwd, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    main()
