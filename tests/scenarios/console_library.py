"""A service with the model of a library and pleasant data, which the console's pages are looked at with."""

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.core.http.files.forms import CONTENT_TYPE, form, part
from tests.scenarios.graph_client import Client
from tests.service import PASSWORD, RunningService, basic, running

MODEL = Path(__file__).parent / "models/library.graphql"

AUTHORS = [
    ("Elena Ferrante", 1943, "Italy"),
    ("Italo Calvino", 1923, "Italy"),
    ("Natalia Ginzburg", 1916, "Italy"),
    ("Primo Levi", 1919, "Italy"),
    ("Umberto Eco", 1932, "Italy"),
    ("Ursula K. Le Guin", 1929, "United States"),
    ("Virginia Woolf", 1882, "United Kingdom"),
    ("Gianni Rodari", 1920, "Italy"),
    ("Wisława Szymborska", 1923, "Poland"),
    ("نجيب محفوظ", 1911, "Egypt"),
]
PUBLISHERS = [("Einaudi", "Torino"), ("Adelphi", "Milano"), ("Feltrinelli", "Milano"), ("Penguin", "London")]
SUBJECTS = ["Fiction", "Memory", "Cities", "War", "Childhood", "Language"]
BOOKS = [
    ("Invisible Cities", "NOVEL", 1972, 165, "12.50", ["Italo Calvino"]),
    ("The Baron in the Trees", "NOVEL", 1957, 260, "13.00", ["Italo Calvino"]),
    ("Family Lexicon", "NOVEL", 1963, 224, "11.90", ["Natalia Ginzburg"]),
    ("My Brilliant Friend", "NOVEL", 2011, 400, "18.00", ["Elena Ferrante"]),
    ("If This Is a Man", "ESSAY", 1947, 210, "11.00", ["Primo Levi"]),
    ("The Periodic Table", "ESSAY", 1975, 238, "12.00", ["Primo Levi"]),
    ("The Name of the Rose", "NOVEL", 1980, 512, "15.90", ["Umberto Eco"]),
    ("How to Write a Thesis", "REFERENCE", 1977, 256, "14.00", ["Umberto Eco"]),
    ("The Dispossessed", "NOVEL", 1974, 387, "16.00", ["Ursula K. Le Guin"]),
    ("To the Lighthouse", "NOVEL", 1927, 209, "9.90", ["Virginia Woolf"]),
    ("Telephone Tales", "CHILDREN", 1962, 208, "14.50", ["Gianni Rodari"]),
    ("The Grammar of Fantasy", "ESSAY", 1973, 190, "10.00", ["Gianni Rodari"]),
    ("View with a Grain of Sand", "POETRY", 1995, 214, "15.00", ["Wisława Szymborska"]),
    ("بين القصرين", "NOVEL", 1956, 498, "17.50", ["نجيب محفوظ"]),
    ("The Italian Short Story", "REFERENCE", 2004, 720, "42.00", ["Italo Calvino", "Natalia Ginzburg"]),
]
READERS = [
    ("Anna", "Rossi"),
    ("Luca", "Bianchi"),
    ("Giulia", "Ferrari"),
    ("Marco", "Esposito"),
    ("Sofia", "Romano"),
    ("Oliver", "Smith"),
    ("Emma", "Taylor"),
    ("Davide", "Gallo"),
    ("Chiara", "Conti"),
    ("Elena", "Greco"),
    ("Matteo", "Fontana"),
    ("Noah", "Williams"),
]
SUMMARY = (
    "A traveller tells an emperor of fifty-five cities.\n\nEach is an essay on memory, desire and signs."
)


class Library:
    """The objects of the library, with their ids by label."""

    def __init__(self, service: RunningService) -> None:
        self.service = service
        self.client = Client(service)
        self.ids: dict[str, str] = {}
        create = self.create
        for name, born, country in AUTHORS:
            create("Author", name, name=name, born=born, country=country)
        for name, city in PUBLISHERS:
            create("Publisher", name, name=name, city=city, email=f"info@{name.lower()}.example.com")
        for name in SUBJECTS:
            broader = {} if name == "Fiction" else {"broader": self.ids["Fiction"]}
            create("Subject", name, name=name, **broader)
        self._open_branches()
        self._buy_books()
        self._lend()
        self.client.ask(
            "mutation { Settings___update(data: {loan_days: 30, fine_a_day: 0.2}) { loan_days } }"
        )
        self._change_a_book()

    def create(self, class_name: str, label: str, **data: Any) -> str:
        """Create an object, and return its id."""
        self.ids[label] = self.client.create(class_name, **data)
        return self.ids[label]

    def _open_branches(self) -> None:
        for name, street in (("Central Library", "Via della Cittadella 5"), ("Riverside", "Corso Casale 12")):
            self.create(
                "Branch",
                name,
                name=name,
                phone="+39 011 555 0100",
                address={"street": street, "city": "Torino", "postcode": "10122"},
                hours=[
                    {"day": day, "opens_at": "09:00", "closes_at": "19:30"} for day in ("Monday", "Friday")
                ],
            )

    def _buy_books(self) -> None:
        branches = [self.ids["Central Library"], self.ids["Riverside"]]
        for place, (title, genre, published, pages, price, authors) in enumerate(BOOKS):
            copies = [
                {
                    "barcode": f"LB{place:03}{copy:02}",
                    "condition": ("GOOD", "NEW", "WORN")[(place + copy) % 3],
                    "bought_on": f"20{10 + place}-0{1 + copy}-15",
                    "branch": branches[copy % 2],
                }
                for copy in range(1 + place % 3)
            ]
            self.create(
                "Book",
                title,
                title=title,
                isbn=f"97888000000{place:02}",
                genre=genre,
                published=published,
                pages=pages,
                price=price,
                lendable=genre != "REFERENCE",
                authors=[self.ids[name] for name in authors],
                publisher=self.ids[PUBLISHERS[place % 4][0]],
                subjects=[self.ids[SUBJECTS[place % 6]], self.ids["Fiction"]] if place % 6 else [],
                copies=copies,
                **({"summary": SUMMARY, "cover": self.upload("cover.png", cover())} if place == 0 else {}),
            )

    def _lend(self) -> None:
        query = "{ Copy___getPage(options: {next: 50}) { items { _id } } }"
        copies = [each["_id"] for each in self.client.ask(query)["items"]]
        for place, (first, last) in enumerate(READERS):
            reader = self.create(
                "Reader",
                f"{first} {last}",
                first_name=first,
                last_name=last,
                card=f"C-{1000 + place}",
                email=f"{first}.{last}@example.com".lower(),
                date_of_birth=f"19{60 + 3 * place}-05-{10 + place}",
            )
            state = {"state": "RETURNED", "returned_at": "2026-10-20T15:30:00Z"} if place % 3 else {}
            day = f"2026-10-{10 + place}"
            due = f"2026-11-{10 + place}"
            self.create(
                "Loan", f"loan {place}", lent_on=day, due_on=due, copy=copies[place], reader=reader, **state
            )
        guests = [self.ids[f"{first} {last}"] for first, last in READERS[:5]]
        self.create(
            "Event",
            "An evening with Calvino",
            title="An evening with Calvino",
            starts_at="2026-12-03T18:00:00Z",
            seats=40,
            branch=self.ids["Central Library"],
            guests=guests,
        )

    def _change_a_book(self) -> None:
        query = "mutation ($data: BookUpdate!) { Book___update(data: $data) { _id } }"
        for changes in ({"price": "13.50"}, {"price": "14.00", "pages": 168}):
            self.client.ask(query, data={"_id": self.ids["Invisible Cities"], **changes})

    def upload(self, name: str, content: bytes) -> Any:
        """Upload a PNG for the cover of a book, and return its reference."""
        headers = {"Authorization": basic("admin", PASSWORD), "Content-Type": CONTENT_TYPE}
        quoted = f'form-data; name="file"; filename="{name}"'.encode()
        body = form(part(quoted, content, [b"Content-Type: image/png"]))
        reply = self.service.request("POST", "/auth/file/Book/cover", headers=headers, body=body)
        assert reply.status == 201, reply.body
        return reply.json()


@contextmanager
def open_library(folder: Path) -> Iterator[Library]:
    """Run the service of the library for a while."""
    with running(folder / "home", model=MODEL, application="Library") as service:
        service.join("clara", "Clerk")
        service.join("guido", "Guest")
        yield Library(service)


def cover(width: int = 160, height: int = 240) -> bytes:
    """Return a PNG with a gradient."""
    rows = b"".join(
        b"\0" + b"".join(bytes((30 + 160 * y // height, 70 + 60 * x // width, 150)) for x in range(width))
        for y in range(height)
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
