"""Models of an archive of which a clerk sees only a part."""

from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model

MODEL = """
extend schema @application(name: "Archive")
  @profile(name: "Administrator", administrator: true) @profile(name: "Clerk")
type Dossier @class(versioned: true) @grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE]) {
  name: String
  %s
}
type Vault @class(versioned: true) { name: String }
"""
ALL = "[READ, CREATE, EDIT, DELETE]"
SEALS = 'seals: [Seal!] @composition(whole: "file")'
NAMED_X, OTHERS, PLAIN = "name == 'x'", "name != 'x'", "text != 'hidden'"
SEAL = "type Seal @class(versioned: true, exposed: true)"


def model(member: str, other: str = "") -> Model:
    return read_model((MODEL % member) + other, "archive.graphql")


def granted(allow: str, where: str = "") -> str:
    condition = f', where: "{where}"' if where else ""
    return f'@grant(profile: "Clerk", allow: {allow}{condition})'
