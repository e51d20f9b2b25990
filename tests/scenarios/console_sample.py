"""A small company with people, projects and a past, for pictures of the console."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import cycle
from typing import Any

from tests.scenarios.graph_client import Client
from tests.service import RunningService

TEAMS = {
    "Design": 2014,
    "Engineering": 2012,
    "Finance": 2012,
    "Operations": 2016,
    "Sales": 2013,
    "Support": 2018,
}

PEOPLE = """
Ada Lombardi|Engineering|Milano
Bruno Conti|Engineering|Torino
Chiara De Luca|Design|Bologna
Daniel Whitaker|Sales|London
Elena Marchetti|Finance|Milano
Farid Haddad|Engineering|Roma
Giulia Ferri|Support|Genova
Harriet Osborne|Operations|Leeds
Ines Carvalho|Engineering|Bristol
Jonas Keller|Engineering|Torino
Katarzyna Nowak|Sales|Manchester
Luca Bianchi|Support|Firenze
Marta Rinaldi|Finance|Roma
Nadia Benali|Design|Milano
Oliver Grant|Operations|London
Paola Esposito|Support|Napoli
Quentin Marsh|Sales|York
Rosa Galli|Operations|Verona
Samuel Adeyemi|Engineering|London
Teresa Moretti|Sales|Padova
Umberto Sala|Engineering|Trieste
Valentina Greco|Design|Palermo
William Hughes|Support|Cardiff
Yasmin Rahman|Engineering|Bristol
"""

CUSTOMERS = ("Aurora Energia", "Birch & Vale", "Cantieri Riuniti", "Northgate Museums", "Porto Logistica")

PROJECTS = (
    ("PRJ-0012", "Harbour traffic dashboard", "RUNNING", 184000, "Porto Logistica"),
    ("PRJ-0017", "Ticketing for five museums", "RUNNING", 96500, "Northgate Museums"),
    ("PRJ-0019", "Meter readings by phone", "DONE", 58200, "Aurora Energia"),
    ("PRJ-0023", "Site safety reports", "PLANNED", 41000, "Cantieri Riuniti"),
    ("PRJ-0025", "Timber stock and orders", "RUNNING", 73800, "Birch & Vale"),
    ("PRJ-0031", "Smart grid pilot", "PLANNED", 1250000, "Aurora Energia"),
)

TASKS = ("Interview the users", "Write the model", "Import the old data", "Train the clerks", "Go live")


@dataclass
class Sample:
    """The ids of what pictures show: an employee with a past, and one that another member has locked."""

    employees: dict[str, str] = field(default_factory=dict)
    teams: dict[str, str] = field(default_factory=dict)
    projects: dict[str, str] = field(default_factory=dict)


def fill(service: RunningService) -> Sample:
    """Create the company in an empty service of the sample model. Adds the members `rosa` and `mia`."""
    service.add_member("rosa", "Manager")
    service.add_member("mia", "Member")
    client, sample = Client(service), Sample()
    sample.teams = {name: client.create("Team", name=name, founded=year) for name, year in TEAMS.items()}
    sample.employees = dict(_hire(client, sample))
    customers = {name: client.create("Customer", name=name) for name in CUSTOMERS}
    sample.projects = dict(_begin(client, sample, customers))
    _meet(client, sample)
    _live_on(service, sample)
    return sample


def _hire(client: Client, sample: Sample) -> Iterator[tuple[str, str]]:
    kinds = cycle(("PERMANENT", "PERMANENT", "FIXED_TERM", "APPRENTICESHIP"))
    for number, line in enumerate(PEOPLE.strip().splitlines()):
        name, team, city = line.split("|")
        first, last = name.split(" ", 1)
        hired = date(2015, 2, 2) + timedelta(days=137 * number)
        is_italian = city not in ("London", "Leeds", "Bristol", "Manchester", "York", "Cardiff")
        yield (
            name,
            client.create(
                "Employee",
                first_name=first,
                last_name=last,
                email=f"{first}.{last}@example.com".lower().replace(" ", ""),
                date_of_birth=str(date(1968, 3, 1) + timedelta(days=421 * number)),
                hired_on=str(hired),
                remote=number % 3 == 0,
                salary=str(2450 + 115 * number),
                team=sample.teams[team],
                addresses=[
                    {
                        "street": f"Via Garibaldi {number + 3}" if is_italian else f"{number + 3} Mill Lane",
                        "city": city,
                        "country": "Italy" if is_italian else "United Kingdom",
                    }
                ],
                contract={"kind": next(kinds), "starts_on": str(hired), "hours_a_week": 40 - number % 3 * 4},
            ),
        )


def _begin(client: Client, sample: Sample, customers: dict[str, str]) -> Iterator[tuple[str, str]]:
    people = cycle(sample.employees.values())
    for number, (code, title, stage, budget, customer) in enumerate(PROJECTS):
        begin = date(2026, 3, 2) + timedelta(days=28 * number)
        tasks = [
            {
                "title": task,
                "done": stage == "DONE" or (stage == "RUNNING" and place < 2),
                "hours": str(8 + 6 * place),
                "due": f"{begin + timedelta(days=14 * (place + 1))}T16:00:00Z",
                "assignee": next(people),
            }
            for place, task in enumerate(TASKS)
        ]
        data: dict[str, Any] = {
            "code": code,
            "title": title,
            "stage": stage,
            "starts_on": str(begin),
            "budget": str(budget),
            "customer": customers[customer],
            "members": [next(people) for _ in range(3)],
            "tasks": tasks,
        }
        document = """mutation($data: ProjectCreate!) {
          Project___create(data: $data, forceWarnings: {dataValidation: true}) { _id }
        }"""
        yield code, str(client.ask(document, data=data)["_id"])


def _meet(client: Client, sample: Sample) -> None:
    people = list(sample.employees.values())
    for number, subject in enumerate(("Planning of the quarter", "Harbour: first release", "Budget review")):
        start = f"2026-12-{number + 7:02}T09:30:00Z"
        attendees = people[number * 4 : number * 4 + 4]
        client.create("Meeting", subject=subject, starts_at=start, attendees=attendees)
    client.ask(
        "mutation($data: CompanyUpdate!) { Company___update(data: $data) { name } }",
        data={
            "name": "Fratelli Lombardi",
            "opens_at": "08:30:00",
            "closes_at": "18:00:00",
            "headquarters": {"create": {"street": "Corso Venezia 8", "city": "Milano", "country": "Italy"}},
        },
    )


def _live_on(service: RunningService, sample: Sample) -> None:
    """Change an employee several times, and let another member lock one."""
    document = "mutation($data: EmployeeUpdate!) { Employee___update(data: $data) { _id } }"
    ada = sample.employees["Ada Lombardi"]
    for username, change in (
        ("admin", {"salary": "3100.00"}),
        ("rosa", {"last_name": "Lombardi Rossi", "email": "ada.rossi@example.com"}),
        ("admin", {"salary": "3350.00", "remote": False}),
    ):
        Client(service, username).ask(document, data={"_id": ada, **change})
    locks = [{"entityName": "Employee", "_id": sample.employees["Bruno Conti"]}]
    document = "mutation($locks: [EntityID!]) { lock(locks: $locks, minutes: 60) { locked } }"
    assert Client(service, "rosa").ask(document, locks=locks)["locked"]
