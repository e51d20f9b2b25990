"""No two packages import each other, not even through others.

A package here is the modules of one folder, without those of its subfolders.
"""

from pathlib import Path

import grimp

import stratabase
import stratabase_aws

FOLDERS = [Path(each.__file__ or "").parents[1] for each in (stratabase, stratabase_aws)]


def package_imports() -> dict[str, set[str]]:
    """Return, for each package, the other packages that its modules import."""
    graph = grimp.build_graph("stratabase", "stratabase_aws", cache_dir=None)
    packages = {
        module
        for module in graph.modules
        if any((folder / module.replace(".", "/")).is_dir() for folder in FOLDERS)
    }

    def package_of(module: str) -> str:
        return module if module in packages else module.rpartition(".")[0]

    imports: dict[str, set[str]] = {package: set() for package in packages}
    for module in graph.modules:
        imported = {package_of(each) for each in graph.find_modules_directly_imported_by(module)}
        imports[package_of(module)] |= imported - {package_of(module)}
    return imports


def reachable(imports: dict[str, set[str]], start: str) -> set[str]:
    """Return the packages that a package imports, directly or through others."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        new = imports[waiting.pop()] - found
        found |= new
        waiting.extend(new)
    return found


def test_no_package_is_in_a_cycle() -> None:
    imports = package_imports()
    assert len(imports) > 30
    in_cycles = {package for package in imports if package in reachable(imports, package)}
    assert in_cycles == set(), "these packages import each other; break the cycle"
