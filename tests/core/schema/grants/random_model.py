"""Random grants on a small model with roles of each kind and derived attributes."""

from random import Random

from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model

ACTIONS = ("READ", "CREATE", "EDIT", "DELETE")
CLASSES = {
    "Apple": {
        "members": (
            "text",
            "other",
            "label",
            "one_text",
            "peer_count",
            "one",
            "peers",
            "peer_of",
            "pal",
            "seeds",
        ),
        "where": ("level < 2", "one.level < 2", "isNull(pal) || pal.level < 3"),
    },
    "Bush": {
        "members": ("text", "other", "label", "count", "top", "deep", "many", "boss"),
        "where": ("level < 2", "boss.level < 3"),
    },
    "Seed": {"members": ("text", "label", "up", "friend"), "where": ("level < 2", "apple.level < 3")},
}
TEXT = """
extend schema @application(name: "Random")
  @profile(name: "Administrator", administrator: true) @profile(name: "Member")

type Apple {Apple} {{
  level: Int
  text: String {Apple.text}
  other: String {Apple.other}
  label: String @derived(expression: "firstNotNull(text, '-') + firstNotNull(other, '-')") {Apple.label}
  one_text: String @derived(path: "one.label") {Apple.one_text}
  peer_count: Int @derived(path: "peers", aggregate: COUNT) {Apple.peer_count}
  one: Bush @association(opposite: "many") {Apple.one}
  peers: [Apple!] @association(opposite: "peer_of") {Apple.peers}
  peer_of: [Apple!] @association(opposite: "peers") {Apple.peer_of}
  pal: Bush {Apple.pal}
  seeds: [Seed!] @composition(whole: "apple") {Apple.seeds}
}}

type Bush {Bush} {{
  level: Int
  text: String {Bush.text}
  other: String {Bush.other}
  label: String @derived(expression: "firstNotNull(text, '-') + firstNotNull(other, '-')") {Bush.label}
  count: Int @derived(path: "many", aggregate: COUNT) {Bush.count}
  top: String @derived(path: "many.text", aggregate: MAX) {Bush.top}
  deep: String @derived(path: "many.seeds.label", aggregate: MIN) {Bush.deep}
  many: [Apple!] @association(opposite: "one") {Bush.many}
  boss: Bush {Bush.boss}
}}

type Seed @class(exposed: true) {Seed} {{
  level: Int
  text: String {Seed.text}
  label: String @derived(expression: "'seed ' + text") {Seed.label}
  up: String @derived(path: "apple.label") {Seed.up}
  friend: Apple {Seed.friend}
}}
"""
ATTRIBUTES = frozenset({"text", "other", "label", "one_text", "peer_count", "count", "top", "deep", "up"})


def random_model(chance: Random, directives: str = "") -> Model:
    """Return the model with grants for members, at least one of them.

    `directives`: more directives of the classes that are not parts.
    """
    uses: dict[str, dict[str, str]] = {}
    for name, class_ in CLASSES.items():
        uses[name] = _of_class(chance, name, class_["members"], class_["where"])
    if not any(text for members in uses.values() for text in members.values()):
        uses["Bush"][""] = '@grant(profile: "Member", allow: [READ])'
    text = TEXT.replace("{Apple}", f"{directives} {{Apple}}").replace("{Bush}", f"{directives} {{Bush}}")
    for name, members in uses.items():
        for member, use in members.items():
            text = text.replace("{" + (f"{name}.{member}" if member else name) + "}", use)
    return read_model(text.replace("{{", "{").replace("}}", "}"), "random.graphql")


def _of_class(chance: Random, name: str, members: tuple[str, ...], where: tuple[str, ...]) -> dict[str, str]:
    uses = dict.fromkeys(("", *members), "")
    allowed = [action for action in ACTIONS if action == "READ" or chance.random() < 0.7]
    if name == "Seed" and chance.random() < 0.6:
        allowed = list(ACTIONS)
    elif chance.random() < 0.1:
        return uses
    else:
        uses[""] = _grant(chance, allowed, where)
    for member in members:
        if chance.random() < 0.25:
            narrower = [action for action in allowed if chance.random() < 0.5]
            if member in ATTRIBUTES:
                narrower = [action for action in narrower if action != "DELETE"]
            uses[member] = _grant(chance, narrower, ("level == 1",))
    return uses


def _grant(chance: Random, allowed: list[str], where: tuple[str, ...]) -> str:
    condition = f', where: "{chance.choice(where)}"' if chance.random() < 0.5 else ""
    return f'@grant(profile: "Member", allow: [{", ".join(allowed)}]{condition})'
