"""The rules of the application and its profiles."""

from collections.abc import Callable

TYPE = "type A { x: Int }"


def test_a_missing_application_is_reported_at_the_start_without_a_schema_extension(
    complains: Callable[..., None],
) -> None:
    message = 'The model has no application. Add: extend schema @application(name: "…").'
    complains("¦" + TYPE, message, head="")


def test_a_missing_application_is_reported_at_the_schema_extension(complains: Callable[..., None]) -> None:
    message = 'The model has no application. Add: extend schema @application(name: "…").'
    complains('¦extend schema @profile(name: "P", administrator: true) ' + TYPE, message, head="")


def test_an_application_needs_a_class(complains: Callable[..., None]) -> None:
    message = "The application Hr has no class. Add a type."
    complains('extend schema ¦@application(name: "Hr") enum E { A }', message, head="")


def test_an_application_without_a_name_is_one_error(complains: Callable[..., None]) -> None:
    message = "@application needs the argument name (String!)."
    complains("extend schema ¦@application " + TYPE, message, head="")


def test_an_application_name_invalid_in_a_url_is_refused(
    complains: Callable[..., None],
) -> None:
    for name in ("", "h r", "1st", "_hr", "é", "a" * 101):
        shown = name if len(name) <= 100 else name[:100] + "…"
        rule = "Use up to 100 letters, digits, and underscores, and begin with a letter."
        message = f'"{shown}" is not a valid application name. {rule}'
        complains(f'extend schema @application(name: ¦"{name}") {TYPE}', message, head="")


def test_a_second_application_is_refused_even_in_another_extension(complains: Callable[..., None]) -> None:
    head = 'extend schema @application(name: "Hr")\nextend schema ¦@application(name: "Crm")\n'
    complains(TYPE, "@application can be used only once here. Remove one.", head=head)


def test_profiles_must_include_an_administrator(complains: Callable[..., None]) -> None:
    head = 'extend schema @application(name: "Hr") ¦@profile(name: "P") @profile(name: "Q")'
    message = "The model has no administrator profile. Add administrator: true to one of the profiles."
    complains(TYPE, message, head=head)


def test_profile_names_must_be_unique_and_visible(complains: Callable[..., None]) -> None:
    wrong = "A profile name must have 1 to 100 printable characters, without spaces around them."
    head = 'extend schema @application(name: "Hr") @profile(name: "P", administrator: true) '
    complains(TYPE, wrong, head=head + '@profile(name: ¦" Q") ')
    complains(TYPE, wrong, head=head + '@profile(name: ¦"") ')
    complains(TYPE, wrong, head=head + '@profile(name: ¦"a\\nb") ')
    taken = 'There is already a profile "p". Names must differ in more than case.'
    complains(TYPE, taken, head=head + '@profile(name: ¦"p") ')


def test_an_administrators_profile_takes_no_access(complains: Callable[..., None]) -> None:
    head = 'extend schema @application(name: "Hr") @profile(name: "P", administrator: true, access: ¦FULL) '
    message = "P is an administrator profile, which always has full access. Remove access."
    complains(TYPE, message, head=head)


def test_an_unknown_access_is_refused_with_a_suggestion(complains: Callable[..., None]) -> None:
    head = 'extend schema @application(name: "Hr") @profile(name: "P", administrator: true) '
    message = 'access must be NONE, READ, or FULL, not RAED. Did you mean "READ"?'
    complains(TYPE, message, head=head + '@profile(name: "Q", access: ¦RAED) ')
