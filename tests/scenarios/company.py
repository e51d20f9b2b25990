"""People in teams, created over HTTP, whose derived attributes are known."""

from typing import Any

from tests.scenarios.graph_client import Client

PEOPLE: dict[str, dict[str, Any]] = {
    "Ada": {
        "email": "ada@example.com",
        "height": 170,
        "salary": "3000",
        "born": "1990-12-10",
        "mood": "GOOD",
    },
    "Bob": {
        "email": "bob@example.com",
        "height": 190,
        "salary": "1000.5",
        "born": "1985-05-05",
        "since": 2001,
    },
    "Cyd": {"remote": True, "rises": "06:30"},
    "Dan": {"height": 200, "salary": 10, "born": "2000-02-29", "seen": "2019-12-31T23:30:00Z", "mood": "BAD"},
}
HOME = {"street": "Main", "rooms": [{"name": "attic", "windows": [{}, {}]}, {"name": "hall"}]}


class Company:
    """Ada, Bob and Cyd are in team alpha, which Ada leads. Dan is in beta, and gamma is empty."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.teams = {name: client.create("Team", name=name) for name in ("alpha", "beta", "gamma")}
        self.people: dict[str, str] = {}
        self._hire()
        self._arrange()

    def id(self, name: str) -> str:
        """Return the id of a person or a team by name."""
        return (self.people | self.teams)[name]

    def _hire(self) -> None:
        for name, data in PEOPLE.items():
            team = self.teams["beta" if name == "Dan" else "alpha"]
            mentor = {"mentor": self.people["Ada"]} if name in ("Bob", "Cyd") else {}
            more = {"last_name": name, **data, **mentor}
            if name == "Ada":
                more["contract"] = {"reference": "c", "starts_on": "2020-01-31", "ends_on": "2020-03-01"}
                more["addresses"] = [HOME, {"street": "Side"}]
            self.people[name], _ = self.client.person(**{"team": team, **more})

    def _arrange(self) -> None:
        ask, ids = self.client.ask, self.people
        ask(
            "mutation($data: TeamUpdate!) { Team___update(data: $data) { _id } }",
            data={"_id": self.teams["alpha"], "lead": {"set": ids["Ada"]}},
        )
        self.client.create("Project", title="Engine", members=[ids["Ada"], ids["Bob"]])
        ask(
            "mutation($data: HouseUpdate!) { House___update(data: $data) { _id } }",
            data={
                "name": "Hall",
                "director": {"set": ids["Ada"]},
                "guests": {"add": [ids["Bob"], ids["Cyd"]]},
                "place": {"create": {"street": "Hill"}},
                "doors": {"create": [{"width": 2}, {"width": 3}]},
            },
        )
