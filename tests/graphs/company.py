"""A model with a role of every kind, which the tables of cases use."""

from stratabase.core.model.reading import read_model

TEXT = """
extend schema @application(name: "Company")
  @profile(name: "Administrator", administrator: true) @profile(name: "Member", access: FULL)

type Team @unique(attributes: ["name"]) {
  name: String!
  members: [Employee!] @association(opposite: "team")
  lead: Employee @association(opposite: "leads", holds: true)
}

type Employee
  @class(platform: [CREATED_BY, CREATED_ON, LAST_MODIFIED_BY, LAST_MODIFIED_ON])
  @unique(attributes: ["email"]) {
  name: String!
  email: String
  age: Int @domain(min: "0")
  team: Team @association(opposite: "members")
  leads: Team @association(opposite: "lead")
  projects: [Project!] @association(opposite: "people")
  passport: Passport @association(opposite: "owner")
  friends: [Employee!] @association(opposite: "friend_of")
  friend_of: [Employee!] @association(opposite: "friends")
  addresses: [Address!] @composition(whole: "employee")
  home: Address @composition(whole: "resident")
  favourite: Address
}

"A part of several wholes, with parts of its own."
type Address @class(platform: [CREATED_BY, LAST_MODIFIED_BY]) @unique(attributes: ["code"]) {
  street: String!
  code: String
  rooms: [Room!] @composition(whole: "address")
  guests: [Employee!]
}

type Room {
  name: String!
  keeper: Employee
  next: Room @association(opposite: "before", holds: true)
  before: Room @association(opposite: "next")
}

"An owner must have one passport only, and a passport an owner."
type Passport { number: String  owner: Employee! @association(opposite: "passport", holds: true) }

"Needs a customer, somebody who works on it, and a charter."
type Project {
  name: String!
  customer: Customer! @association(opposite: "projects")
  people: [Employee!]! @association(opposite: "projects")
  charter: Charter! @composition(whole: "project")
  tasks: [Task!] @composition(whole: "project")
}

type Charter { text: String! }

type Task {
  name: String!
  assignee: Employee!
  after: Task
  subtasks: [Task!] @composition(whole: "parent")
  labels: [Label!]
  related: [Task!]
}

type Label { name: String }

type Customer {
  name: String!
  projects: [Project!] @association(opposite: "customer")
  addresses: [Address!] @composition(whole: "customer")
}

"Without anybody it is none."
type Meeting { subject: String  attendees: [Employee!]! }

"A club of which a person is a member keeps at least one."
type Club { name: String  people: [Person!]! @association(opposite: "club") }
type Person { name: String  club: Club @association(opposite: "people")  }

"A captain has a ship."
type Ship { name: String  captain: Captain @association(opposite: "ship", holds: true) }
type Captain { name: String  ship: Ship! @association(opposite: "captain") }

"Numbered, and at least one line."
type Invoice { number: Serial!  lines: [Line!]! @composition(whole: "invoice") }
type Line { text: String!  number: Serial }

type Office @class(kind: SINGLETON, platform: [CREATED_BY, CREATED_ON, LAST_MODIFIED_BY]) {
  name: String
  manager: Employee
  guests: [Employee!]
  address: Address @composition(whole: "office")
}

type Leave @class(kind: FORM) { days: Int!  employee: Employee!  deputies: [Employee!] }
"""

COMPANY = read_model(TEXT, "company.graphql")
