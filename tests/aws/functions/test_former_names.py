"""Copies of `functions` in older projects import modules by former names, which lead to the present ones."""

from importlib import import_module

from tests.rows import each_row


@each_row(
    ("former", "present", "names"),
    [
        (
            "stratabase.bootstrap",
            "stratabase_aws.functions",
            ("http_handler", "mail_handler", "reindex_handler", "rotate_handler", "sweep_handler"),
        ),
        ("stratabase.streaming_runtime", "stratabase_aws.streaming_runtime", ("main",)),
    ],
)
def test_a_former_name_leads_to_the_present_one(former: str, present: str, names: tuple[str, ...]) -> None:
    for name in names:
        assert getattr(import_module(former), name) is getattr(import_module(present), name)
