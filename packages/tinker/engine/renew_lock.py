"""Turns a pylock.toml into requirements.lock: names, versions and hashes, without the addresses of anybody's registry.

Only wheels that Python 3.12 on Linux or macOS can take are kept: a source archive would run its build on the user's machine.
"""

import re
import sys
import tomllib

PYTHON = re.compile(r"-(py3|py2\.py3|cp312|cp3(?:[2-9]|1[0-2])-abi3)[-.]")
# What left-out.txt names, and what other systems take.
ELSEWHERE = re.compile(r"sys_platform == '(never|win32|emscripten)'")
PLATFORM = re.compile(r"-(any|[^-]*(?:manylinux|macosx)[^-]*(?:x86_64|aarch64|arm64|universal2))\.whl$")


def fits(name):
    return PYTHON.search(name) is not None and PLATFORM.search(name) is not None


def file_name(wheel):
    return wheel.get("name") or wheel["url"].rsplit("/", 1)[-1]


def main(path):
    with open(path, "rb") as file:
        packages = [package for package in tomllib.load(file)["packages"] if not ELSEWHERE.search(package.get("marker", ""))]
    for package in sorted(packages, key=lambda package: package["name"]):
        hashes = sorted(wheel["hashes"]["sha256"] for wheel in package.get("wheels", []) if fits(file_name(wheel)))
        if not hashes:
            sys.exit(f"{package['name']} {package['version']} has no wheel for Python 3.12 on Linux or macOS")
        lines = [f"{package['name']}=={package['version']}", *(f"    --hash=sha256:{digest}" for digest in hashes)]
        print(" \\\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1])
