"""The bank: services over a store, in which blocking warnings depend on several objects."""

from pathlib import Path
from typing import Any

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference, part_ids
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.domain.write.commands import Command, Delete
from stratabase.core.model.reading import read_model_file
from stratabase.core.operations.context import Services
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.options import WriteOptions
from stratabase.core.operations.write.services import delete, save, validate
from tests.core.operations.write.warnings.staff_services import warning_names
from tests.fakes import ADMINISTRATOR, request_of
from tests.graphs.commands import add, create, create_command, point, update_command

BANK = read_model_file(Path(__file__).parent / "bank.graphql")


class Bank:
    """A process that writes the objects of a bank, each under a short name."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.ids: dict[str, str] = {}

    def make(self, name: str, class_name: str, /, **asked: Any) -> str:
        """Create an object, and return its ID."""
        self.ids[name] = self.write(create_command(class_name, **asked))
        return self.ids[name]

    def change(self, name: str, class_name: str, /, **asked: Any) -> None:
        """Update an object. Raises Refused."""
        self.write(update_command(class_name, self.ids[name], **asked))

    def write(self, command: Command, caller: Caller = ADMINISTRATOR, *, force: bool = False) -> str:
        """Run a command, and return the ID of its object. Raises Refused."""
        options = WriteOptions(force)
        if isinstance(command, Delete):
            delete(self.services, command, caller, options)
            return command.reference.id
        return save(self.services, command, caller, options=options).reference.id

    def refusals(
        self, command: Command, caller: Caller = ADMINISTRATOR, *, force: bool = False
    ) -> list[tuple[Any, ...]]:
        """Return the issues of a command, none if it is done. Assert that a validation finds the same."""
        options = WriteOptions(force)
        rehearsed = validate(self.services, command, caller, options=options)
        expected = [warning_names(issue) for issue in rehearsed]
        try:
            self.write(command, caller, force=force)
        except Refused as refusal:
            found = [warning_names(issue) for issue in refusal.issues]
        else:
            found = []
        assert found == expected
        return found

    def reference(self, name: str, class_name: str) -> Reference:
        """Return the reference of an object."""
        return Reference(class_name, self.ids[name])

    def parts(self, name: str, class_name: str, role: str) -> list[str]:
        """Return the IDs of the parts of an object."""
        (entity,) = self.services.entities.read([self.reference(name, class_name)])
        assert entity is not None
        return part_ids(entity.state.get(role))


def violations(services: Services) -> list[tuple[str, str]]:
    """Return the blocking warnings that stored objects meet, with the IDs of the objects."""
    reader = Reader(request_of(services.model, services.entities))
    found = []
    for class_ in services.model.classes.values():
        rules = [rule for rule in services.warning_rules.of(class_.name) if rule.definition.blocking]
        if rules:
            stored = reader.page(Query(class_.name, Order(), window=Window(10_000))).items
            there = [each for each in reader.read([each.reference for each in stored]) if each is not None]
            rows = reader.values(class_.name, there, [rule.condition for rule in rules])
            for entity, values in zip(there, rows, strict=True):
                met = zip(rules, values, strict=True)
                found += [(rule.definition.name, entity.reference.id) for rule, value in met if value is True]
    return found


def filled(services: Services) -> Bank:
    """Return a bank with objects of each kind. Each rule holds, and just so."""
    bank = Bank(services)
    account = bank.make("account", "Account", name="open")
    bank.make("saving", "Account", name="other")
    for name, amount in {"gain": 100, "loss": -60}.items():
        bank.make(name, "Booking", amount=amount, account=point(account))
    bank.make("free", "Booking", amount=-50)
    server = bank.make(
        "server",
        "Server",
        name="one",
        tasks=create(create_command("Task", cost=4), create_command("Task", cost=4)),
    )
    bank.make("spare", "Server", name="two", tasks=create(create_command("Task", cost=4)))
    bank.make("pool", "Pool", servers=add(server))
    grade = bank.make("grade", "Grade", highest=100)
    bank.make("other grade", "Grade", highest=10)
    bank.make("employee", "Employee", salary=100, grade=point(grade))
    user = bank.make("user", "User", height=100)
    bank.make("desk", "Desk", height=100, user=point(user))
    bank.make("other desk", "Desk", height=110)
    bank.make("tall", "User", height=120)
    bank.make("order", "Order", limit=100, lines=create(create_command("Line", amount=100)))
    good = bank.make("good", "Good", weight=5)
    bank.make("other good", "Good", weight=6)
    tariff = bank.make("tariff", "Tariff", highest=100)
    bank.make("basket", "Basket", price=100, goods=add(good), tariff=point(tariff))
    wheel = bank.make("wheel", "Wheel", water=10)
    source = bank.make("source", "Source", water=10)
    bank.write(update_command("Mill", "1", wheels=add(wheel), source=point(source)))
    return bank
