"""A large model: several equal areas, each of ten classes with 100 attributes and 20 roles of every kind."""

from collections.abc import Iterator

APPLICATION = "Large"
AREAS = 10
"""With as many there are 100 classes, 1,000 attributes and 200 roles."""

_AREA = """
enum Stage{n} {{ PLANNED RUNNING DONE }}

"Somebody who works in the area {n}."
type Person{n}
  @class(versioned: true, platform: [CREATED_BY, CREATED_ON, LAST_MODIFIED_BY, LAST_MODIFIED_ON])
  @unique(attributes: ["email"])
  @unique(attributes: ["last_name", "first_name", "born"])
  @index(attributes: ["last_name", "first_name"])
  @index(attributes: ["hired_on"])
  @warning(name: "young", condition: "dateDiff(hired_on, born) < 16 * 365", message: "Hired as a child.") {{
  first_name: String! @domain(minLength: 1, maxLength: 80)
  last_name: String! @domain(minLength: 1, maxLength: 80)
  "Where the person is written to."
  email: String! @domain(email: true)
  born: Date @domain(min: "1910-01-01")
  hired_on: Date
  badge: Serial
  remote: Boolean
  salary: Real @domain(min: "0", digits: 2)
  full_name: String @derived(expression: "first_name + ' ' + last_name")
  team_name: String @derived(path: "team.name")
  addresses: [Address{n}!] @composition(whole: "resident")
  contract: Contract{n} @composition
  team: Team{n} @association(opposite: "members")
  leads: Team{n} @association(opposite: "lead")
  mentor: Person{n} @association(opposite: "pupils")
  pupils: [Person{n}!] @association(opposite: "mentor")
  projects: [Project{n}!] @association(opposite: "members")
}}

"People who work together."
type Team{n} @unique(attributes: ["name"]) {{
  name: String! @domain(maxLength: 60)
  founded: Year @domain(min: "1950")
  opens_at: Time @domain(min: "06:00")
  purpose: Text
  budget: Real @domain(min: "0", digits: 2)
  email: String @domain(email: true)
  phone: String @domain(phone: true)
  head_count: Int @derived(path: "members", aggregate: COUNT)
  payroll: Real @derived(path: "members.salary", aggregate: SUM)
  lead_name: String @derived(path: "lead.last_name")
  members: [Person{n}!] @association(opposite: "team")
  "Both sides lead to one; this one holds the key."
  lead: Person{n} @association(opposite: "leads", holds: true)
}}

"Work for a customer."
type Project{n}
  @class(versioned: true, platform: [OWNED_BY, OWNED_ON])
  @unique(attributes: ["code"])
  @index(attributes: ["stage", "starts_on"])
  @warning(name: "large", condition: "budget > 1000000", message: "More than a million.", blocking: true) {{
  code: String! @domain(pattern: ["PRJ-[0-9]{{4}}"])
  title: String!
  stage: Stage{n}!
  starts_on: Date
  ends_at: Datetime
  budget: Real @domain(min: "0", digits: 2)
  about: Text
  customer_name: String @derived(path: "customer.name")
  planned_hours: Real @derived(path: "tasks.hours", aggregate: SUM)
  last_due: Datetime @derived(path: "tasks.due", aggregate: MAX)
  customer: Customer{n}! @association(opposite: "projects")
  members: [Person{n}!] @association(opposite: "projects")
  tasks: [Task{n}!] @composition(whole: "project")
  "What it goes on with, in another area."
  continues: Project{other}
}}

"A piece of work; a part with a page of its own."
type Task{n} @class(exposed: true, versioned: true) @index(attributes: ["due"]) {{
  title: String!
  done: Boolean!
  hours: Real @domain(min: "0", max: "400", digits: 1)
  due: Datetime
  priority: Int @domain(min: "1", max: "5")
  opens_at: Time
  year: Year
  notes: Text
  report: File @file(extensions: ["pdf"], maxSize: 5242880)
  urgent: Boolean @derived(expression: "priority == 1 && !done")
  assignee: Person{n}
}}

"What was agreed with a person."
type Contract{n}
  @class(versioned: true)
  @warning(name: "backwards", condition: "ends_on < starts_on", message: "It ends first.", blocking: true) {{
  starts_on: Date!
  ends_on: Date
  stage: Stage{n}
  hours_a_week: Int @domain(min: "1", max: "40")
  hourly: Real @domain(min: "0", digits: 2)
  remote: Boolean
  place: String
  terms: Text
  signed_copy: File @file(extensions: ["pdf"])
  weekly: Real @derived(expression: "hourly * double(hours_a_week)")
}}

"Where somebody lives, or the area is; the part of two wholes."
type Address{n} {{
  street: String!
  number: Int
  floor: Int
  city: String!
  postcode: String @domain(pattern: ["[0-9]{{5}}", "[A-Z]{{1,2}}[0-9][0-9A-Z]? [0-9][A-Z]{{2}}"])
  country: String @domain(values: ["Italy", "United Kingdom"])
  phone: String @domain(phone: true)
  since: Year
  notes: Text
  line: String @derived(expression: "street + ', ' + city")
}}

"Who pays."
type Customer{n} @unique(attributes: ["partita_iva"]) @index(attributes: ["name"]) {{
  name: String!
  partita_iva: String @domain(partitaIva: true)
  codice_fiscale: String @domain(codiceFiscale: true)
  phone: String @domain(phone: true)
  email: String @domain(email: true)
  founded: Year
  rating: Int @domain(min: "1", max: "5")
  credit: Real
  notes: Text
  project_count: Int @derived(path: "projects", aggregate: COUNT)
  projects: [Project{n}!] @association(opposite: "customer")
  "Walked one way only, and into another area."
  partners: [Customer{other}!]
}}

"Where somebody sits."
type Desk{n} @unique(attributes: ["floor", "number"]) {{
  number: Int!
  floor: Int!
  width: Real
  adjustable: Boolean
  bought_on: Date
  checked_at: Datetime
  quiet_from: Time
  model: String
  notes: Text
  label: String @derived(expression: "string(floor) + '.' + string(number)")
  owner: Person{n}
}}

"What there is one of."
type Office{n} @class(kind: SINGLETON, versioned: true, platform: [LAST_MODIFIED_ON]) {{
  name: String
  opens_at: Time @domain(min: "06:00")
  closes_at: Time
  founded: Year
  seats: Int
  rent: Real @domain(digits: 2)
  rented_on: Date
  notes: Text
  logo: File @file(extensions: ["png", "svg"], maxSize: 200000)
  director_name: String @derived(path: "director.last_name")
  director: Person{n}
  headquarters: Address{n} @composition(whole: "office")
}}

"Days off. A form: filled in and previewed, never stored."
type Request{n}
  @class(kind: FORM)
  @warning(name: "long", condition: "days > 30", message: "More than a month.") {{
  first_day: Date!
  last_day: Date!
  from_hour: Time
  to_hour: Time
  reason: Text
  phone: String @domain(phone: true)
  paid: Boolean
  stage: Stage{n}
  sent_at: Datetime
  days: Int @derived(expression: "dateDiff(last_day, first_day) + 1")
  employee: Person{n}!
}}
"""


def large_model(areas: int = AREAS) -> str:
    """Return the text of a model with a number of areas."""
    return "".join(_pieces(areas))


def _pieces(areas: int) -> Iterator[str]:
    yield f'extend schema @application(name: "{APPLICATION}")'
    yield ' @profile(name: "Administrator", administrator: true)\n'
    for number in range(areas):
        yield _AREA.format(n=number, other=(number + 1) % areas)
