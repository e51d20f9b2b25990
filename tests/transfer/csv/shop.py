"""A shop with imports in one process, on any engine."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from stratabase.core.concurrent_calls import ConcurrentCalls
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Create
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.services import save
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.indexes.listing import listed_objects
from stratabase.core.store.layout import keys
from stratabase.core.store.renamed_repository import open_repository
from stratabase.core.waiting import SystemClock
from stratabase.transfer.csv.cells import CellFormats
from stratabase.transfer.csv.columns import match_columns
from stratabase.transfer.csv.csv_file import CsvFile
from stratabase.transfer.csv.csv_import import Checked, CsvImport, ImportOptions
from stratabase.transfer.csv.import_record import ImportRecord
from tests.fakes import unlimited_budget

MODEL: Model = read_model(
    """
extend schema @application(name: "Shop")
type Pet @unique(attributes: ["tag"]) @unique(attributes: ["name", "born"]) @class(versioned: true) {
  name: String! @domain(maxLength: 20)
  tag: String
  age: Int @domain(min: "0") @default(value: "1")
  price: Real
  born: Date
  fed: Datetime
  tame: Boolean
  kind: Kind
  number: Serial
  photo: File
  label: String @derived(expression: "name + '!'")
  owner: Owner @association(opposite: "pets")
  cage: Cage @association(opposite: "pet", holds: true)
  toys: [Toy!] @composition
}
type Owner @unique(attributes: ["email"]) @unique(attributes: ["first", "last"]) {
  email: String!  first: String  last: String  pets: [Pet!] @association(opposite: "owner")
}
type Cage @unique(attributes: ["code"]) { code: Int!  pet: Pet @association(opposite: "cage") }
type Toy { name: String }
type Shelf @unique(attributes: ["code"]) @unique(attributes: ["name"]) {
  code: String  name: String  label: Text
}
type Person @unique(attributes: ["email"]) @unique(attributes: ["code"]) {
  email: String!
  code: Int
  age: Int @domain(min: "0")
  boss: Person @association(opposite: "staff")
  staff: [Person!] @association(opposite: "boss")
}
type Note @warning(name: "long", condition: "size(text) > 5", message: "Too long.") { text: String! }
enum Kind { CAT DOG }
""",
    "shop.graphql",
)
CONSOLE = Caller("", "console", "Administrator", administrator=True)


class Shop:
    """The objects of the shop, and the imports of files into it."""

    def __init__(self, engine: Engine, folder: Path, at_once: int = 8) -> None:
        self.engine = engine
        self._folder = folder
        self._at_once = at_once
        self.services = Services(
            MODEL, open_repository(engine, MODEL), SystemClock(), TimeOrderedIds(), unlimited_budget
        )

    def add(self, class_name: str, **values: Any) -> str:
        """Create an object, and return its id."""
        return save(self.services, Create(class_name, values), CONSOLE).reference.id

    def file(self, text: str, name: str = "pets.csv") -> Path:
        """Write a file, and return its path."""
        file = self._folder / name
        file.write_bytes(text.encode())
        return file

    def prepare(
        self,
        file: Path,
        class_name: str = "Pet",
        mapping: Mapping[str, str] | None = None,
        *,
        update_by: str = "",
        cells: CellFormats | None = None,
        options: ImportOptions | None = None,
        interrupt: Callable[[], None] | None = None,
    ) -> CsvImport:
        """Return an import. `interrupt` is called before each block is checked, and each row is written."""
        csv_file = CsvFile(file)
        columns = match_columns(
            MODEL,
            MODEL.classes[class_name],
            csv_file.header,
            mapping or {},
            update_by=[*filter(None, update_by.split(","))],
        )
        run = ConcurrentCalls(self._at_once, self._at_once)
        if interrupt is not None:
            run = _Interrupted(run, interrupt)  # type: ignore[assignment]
        return CsvImport(
            self.services, CONSOLE, csv_file, columns, cells or CellFormats(), options or ImportOptions(), run
        )

    def check(self, file: Path, *arguments: Any, **options: Any) -> Checked:
        """Check the rows of a file."""
        return self.prepare(file, *arguments, **options).check(_ignore)[1]

    def issues(self, file: Path, *arguments: Any, **options: Any) -> list[str]:
        """Return the issues of the rows of a file."""
        return [str(issue) for issue in self.check(file, *arguments, **options).issues.first]

    def run(self, file: Path, *arguments: Any, again: bool = False, **options: Any) -> ImportRecord:
        """Import a file without issues, or with skipped rows."""
        import_ = self.prepare(file, *arguments, **options)
        record, checked = import_.check(_ignore, again=again)
        skips = options.get("options", ImportOptions()).skips_invalid
        assert skips or not checked.issues.count, checked.issues.first
        return import_.write(record, _ignore)

    def objects(self, class_name: str = "Pet") -> list[Mapping[str, Any]]:
        """Return the states of all objects of a class, in the order of their ids."""
        pages = listed_objects(self.engine, class_name)
        ids = sorted(keys.id_of(item.key) for page in pages for item in page)
        read = self.services.entities.read([Reference(class_name, id_) for id_ in ids])
        return [entity.state for entity in read if entity is not None]

    def values(self, name: str, class_name: str = "Pet") -> list[Any]:
        """Return the values of an attribute of all objects."""
        return [state.get(name) for state in self.objects(class_name)]


class _Interrupted:
    """Calls a function before each work."""

    def __init__(self, run: ConcurrentCalls, interrupt: Callable[[], None]) -> None:
        self._run = run
        self._interrupt = interrupt

    @property
    def at_once(self) -> int:
        return self._run.at_once

    @at_once.setter
    def at_once(self, number: int) -> None:
        self._run.at_once = number

    def __call__(self, works: Iterable[Callable[[], None]]) -> None:
        def interrupted(work: Callable[[], None]) -> None:
            self._interrupt()
            work()

        self._run(partial(interrupted, work) for work in works)


def _ignore(_: int) -> None:
    pass
