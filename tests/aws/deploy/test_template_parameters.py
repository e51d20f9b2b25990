"""The names and values of parameters that a template allows."""

from pathlib import Path

import pytest

from stratabase.terminal.command_error import CommandError
from stratabase_aws.deploy.template_parameters import (
    TemplateParameter,
    find_mistakes,
    read_parameters,
    with_defaults,
)
from tests.repository import ROOT

TEMPLATE = """
Parameters:
  Switch: {Type: String, AllowedValues: ["on", "off"], Default: "on"}
  Unquoted: {Type: String, AllowedValues: [yes, no], Default: no}
  Days: {Type: Number, AllowedValues: [1, 30], Default: 30}
  Share: {Type: Number, MinValue: -0.5, MaxValue: 0}
  Large: {Type: Number, MinValue: 1000000}
  Code: {Type: String, MinLength: 2, MaxLength: 3, AllowedPattern: "[a-z]*"}
  Url: {Type: String, AllowedPattern: "https://.+", ConstraintDescription: It must begin with https.}
  Java: {Type: String, AllowedPattern: "[\\\\p{L}&&[^x]]*+(?<a>b"}
  Secret: {Type: String, NoEcho: true, MinLength: 4}
  Zones: {Type: CommaDelimitedList, AllowedValues: [a, b]}
  Numbers: {Type: List<Number>, MinValue: 1}
  Length: {Type: String, Default: ""}
  Stored: {Type: "AWS::SSM::Parameter::Value<String>"}
  Unit: {Type: Number}
Conditions:
  HasUnit: true
Resources:
  Table: {Type: AWS::DynamoDB::Table}
  Function:
    Type: AWS::Serverless::Function
    Properties:
      Environment:
        Variables:
          STRATABASE_PASSWORD_LENGTH: !Ref Length
          STRATABASE_QUERY_DEPTH: !Ref Stored
          STRATABASE_TOKEN_MINUTES: !If [HasUnit, !Ref Unit, !Sub "${Days}"]
          OTHER: !Ref Code
"""
VALID = {
    "Switch": ("on", "off"),
    "Unquoted": ("true", "false"),
    "Days": ("1", "30"),
    "Share": ("-0.5", "0", "-1e-1", "-.25"),
    "Large": ("1000000",),
    "Code": ("ab", "abc"),
    "Url": ("https://example.com",),
    "Java": ("x",),
    "Secret": ("1234",),
    "Zones": ("a", "a, b"),
    "Numbers": ("1,2",),
    "Length": ("", "8"),
    "Stored": ("/hr/depth",),
    "Unit": ("30", "1440"),
}
INVALID = {
    ("Switch", "ON"): 'Switch: "ON" is not valid. Use one of: on, off. Did you mean on?',
    ("Switch", ""): 'Switch: "" is not valid. Use one of: on, off.',
    ("Days", "2"): 'Days: "2" is not valid. Use one of: 1, 30.',
    ("Share", "0.1"): 'Share: "0.1" is not valid. Use a number from -0.5 to 0.',
    ("Share", "nan"): 'Share: "nan" is not valid. Use a number from -0.5 to 0.',
    ("Share", "-1e999"): 'Share: "-1e999" is not valid. Use a number from -0.5 to 0.',
    ("Large", "x"): 'Large: "x" is not valid. Use a number from 1000000.',
    ("Code", "a"): 'Code: "a" is not valid. Use a text with a number of characters from 2 to 3.',
    ("Code", "AB"): 'Code: "AB" is not valid. Use a value that matches the pattern [a-z]*.',
    ("Url", "http://a\nhttps://a"): 'Url: "http://a\nhttps://a" is not valid. It must begin with https.',
    ("Secret", "123"): "Secret: its value is not valid. Use a text with a number of characters from 4.",
    ("Zones", "a,c"): 'Zones: "a,c" is not valid. Use one of: a, b.',
    ("Numbers", "1,0"): 'Numbers: "1,0" is not valid. Use a number from 1.',
    ("Length", "7"): 'Length: "7" is not valid. Use a whole number from 8 to 64.',
    ("Unit", "1441"): 'Unit: "1441" is not valid. Use a whole number from 1 to 1,440.',
    ("Swich", "on"): "Swich=on sets no parameter, because the template has no Swich. Did you mean Switch?",
    ("Nothing", ""): (
        "Nothing= sets no parameter, because the template has no Nothing. "
        "docs/deploy.md and the template describe them."
    ),
}
"""By name and value: what is wrong, and what is right."""


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "template.yaml"
    path.write_text(TEMPLATE)
    return path


def test_a_parameter_has_the_default_that_cloudformation_would_use(template: Path) -> None:
    found = {name: each.default for name, each in read_parameters(template).items()}
    assert {name: default for name, default in found.items() if default is not None} == {
        "Switch": "on",
        "Unquoted": "false",
        "Days": "30",
        "Length": "",
    }


@pytest.mark.parametrize(
    ("name", "value"), [(name, each) for name, values in VALID.items() for each in values]
)
def test_what_the_template_and_the_setting_allow_is_no_mistake(name: str, value: str, template: Path) -> None:
    assert find_mistakes({name: value}, read_parameters(template)) == []


@pytest.mark.parametrize(("name", "value"), INVALID)
def test_a_mistake_says_what_is_right(name: str, value: str, template: Path) -> None:
    assert find_mistakes({name: value}, read_parameters(template)) == [INVALID[name, value]]


def test_all_mistakes_are_found_at_once(template: Path) -> None:
    given = {"Switch": "o", "Days": "30", "Dys": "30"}
    assert len(find_mistakes(given, read_parameters(template))) == 2


def test_the_defaults_of_our_template_are_valid_and_only_the_sender_has_none() -> None:
    declared = read_parameters(ROOT / "template.yaml")
    defaults = {name: each.default for name, each in declared.items() if each.default is not None}
    assert find_mistakes(defaults, declared) == []
    assert declared.keys() - defaults.keys() == {"MailFrom"}


def test_a_folder_without_a_template_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        CommandError, match=r"No such file or directory\. Run the command in the project folder"
    ):
        read_parameters(tmp_path / "template.yaml")


def test_what_is_not_given_gets_its_default_but_for_secrets_and_the_names_of_data() -> None:
    declared = {
        "Switch": TemplateParameter("Switch", "String", "on"),
        "Days": TemplateParameter("Days", "Number", "30"),
        "Sender": TemplateParameter("Sender", "String"),
        "Key": TemplateParameter("Key", "String", "none", secret=True),
        "InstanceId": TemplateParameter("InstanceId", "String", ""),
    }
    assert with_defaults({"Days": "7"}, declared, exists=True) == {"Switch": "on", "Days": "7"}
    given = {"Sender": "a@b.org", "Key": "1", "InstanceId": "one"}
    assert with_defaults(given, declared, exists=False) == {"Switch": "on", "Days": "30", **given}
    with pytest.raises(CommandError, match="no default, and the stack no previous value: Sender"):
        with_defaults({}, declared, exists=False)


def test_a_new_stack_asks_for_longer_passwords_and_an_existing_one_for_what_it_asked_before() -> None:
    """The template has the default of stacks from earlier versions, for those who use the SAM CLI alone."""
    declared = {"PasswordLength": TemplateParameter("PasswordLength", "String", "")}
    assert with_defaults({}, declared, exists=False) == {"PasswordLength": "15"}
    assert with_defaults({}, declared, exists=True) == {}, "the SAM CLI passes the previous value"
    for exists in (True, False):
        assert with_defaults({"PasswordLength": "20"}, declared, exists=exists) == {"PasswordLength": "20"}
    assert with_defaults({}, {}, exists=False) == {}, "a template of an earlier version"
    assert read_parameters(ROOT / "template.yaml")["PasswordLength"].default == ""
