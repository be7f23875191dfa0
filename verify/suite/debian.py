"""Source packages of Debian, for suites of others: by apt's ordinary client, with a list of sources of its own beside the system's."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

# What a script ends with where the source cannot be had.
NOT_HAD = 77
MIRROR = "http://deb.debian.org/debian"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


def not_had(why):
    print(why, file=sys.stderr)
    sys.exit(NOT_HAD)


def source(package, suite, folder):
    """The folder of a package's source, as its authors released it; fetched and unpacked below `folder` if it is not there."""
    folder = Path(folder).resolve()
    home = folder / package
    there = [d for d in home.glob("*/") if d.is_dir() and d.name != "apt"]
    if there:
        return there[0]
    apt, lists = home / "apt", home / "apt/lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    (apt / "sources.list").write_text(f"deb-src [signed-by={KEYS}] {MIRROR} {suite} main\n")
    options = [f"-oDir::Etc::SourceList={apt}/sources.list", "-oDir::Etc::SourceParts=/dev/null", f"-oDir::State::Lists={lists}"]
    options += [f"-oDir::Cache={apt}", "-oAPT::Sandbox::User=" + os.environ.get("USER", "root")]
    for what in (["update"], ["source", "--download-only", "--only-source", package]):
        try:
            done = subprocess.run(["apt-get", "-qq", *options, *what], cwd=home, capture_output=True, text=True)
        except FileNotFoundError:
            not_had("there is no apt-get")
        if done.returncode:
            not_had(f"the source of {package} cannot be had: {done.stderr.strip().splitlines()[-1:]}")
    for archive in home.glob("*.orig.tar.*"):
        with tarfile.open(archive) as t:
            t.extractall(home, filter="data")
    return next(d for d in home.glob("*/") if d.is_dir() and d.name != "apt")
