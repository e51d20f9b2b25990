"""A failed import is explained by the version of the package."""

from importlib.metadata import PackageNotFoundError

import pytest

from stratabase.server.process.console import explain_error
from stratabase.terminal import wrong_package as module
from stratabase.terminal.wrong_package import wrong_package


@pytest.mark.parametrize(
    ("installed", "explained"),
    [
        ("3.2.14", True),
        ("3.3.1", True),
        ("3.3.2", False),
        ("3.3.10", False),
        ("3.4.0rc1", True),
        (None, True),
    ],
)
def test_a_version_outside_of_the_bounds_is_explained(
    installed: str | None, explained: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(_: str) -> str:
        if installed is None:
            raise PackageNotFoundError
        return installed

    monkeypatch.setattr(module, "requires", lambda _: ["rsa", "graphql-core<3.4,>=3.3.2; extra == 'x'"])
    monkeypatch.setattr(module, "version", version)
    monkeypatch.setattr(module, "packages_distributions", lambda: {"graphql": ["graphql-core"]})
    error = ImportError("cannot import name", name="graphql.utilities")
    text = (
        f"Stratabase needs graphql-core <3.4,>=3.3.2, but this environment has {installed or 'none'}. "
        "Install Stratabase in an environment of its own."
    )
    assert (str(wrong_package(error)) == text) == explained
    assert (explain_error(error) == (text,)) == explained


def test_a_package_can_be_installed_under_another_spelling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "requires", lambda _: ["prometheus-client>=0.22"])
    monkeypatch.setattr(module, "version", lambda _: "0.1")
    monkeypatch.setattr(
        module, "packages_distributions", lambda: {"prometheus_client": ["prometheus_client"]}
    )
    explained = wrong_package(ImportError("cannot import name", name="prometheus_client"))
    assert str(explained).startswith(
        "Stratabase needs prometheus-client >=0.22, but this environment has 0.1."
    )


@pytest.mark.parametrize(
    "error", [ImportError("x", name="tests.cli"), ImportError("x"), ValueError("graphql")]
)
def test_other_errors_are_not_explained(error: Exception) -> None:
    assert wrong_package(error) is None
