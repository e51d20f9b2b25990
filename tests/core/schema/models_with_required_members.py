"""A model, and the same model with required attributes and roles."""

OLD = """
type Team { name: String }
type Skill { name: String }
type Badge { name: String  of: Person @association(opposite: "badge", holds: true) }
type Phone { digits: String }
type Person @class(versioned: true) {
  name: String
  nick: String
  team: Team
  badge: Badge @association(opposite: "of")
  skills: [Skill!]
  phones: [Phone!] @composition
}
type House @class(kind: SINGLETON) { name: String  motto: String  chief: Person }
"""
NEW = (
    OLD.replace("name: String\n  nick", "name: String!\n  nick")
    .replace("team: Team", "team: Team!")
    .replace("badge: Badge", "badge: Badge!")
    .replace("skills: [Skill!]", "skills: [Skill!]!")
    .replace("phones: [Phone!]", "phones: [Phone!]!")
    .replace("motto: String", "motto: String!")
)
