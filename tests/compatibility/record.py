"""Records the kept files again: `python -m tests.compatibility.record`. README.md says when to do that."""

from tests.compatibility.recorded import KEPT, Conversation, digest, read_lines, write_json, write_lines
from tests.compatibility.requests import MODEL, QUESTIONS, STORY, WRITES
from tests.compatibility.service import STORES, FrozenEnvironment, documents, service


def record() -> None:
    """Write all recorded files."""
    KEPT.mkdir(exist_ok=True)
    sdl, openapi = documents(MODEL)
    (KEPT / "schema.graphql").write_text(sdl)
    write_json("openapi.json", openapi)
    digests = {}
    for store in STORES:
        with service(store, environment := FrozenEnvironment(), f"record-{store}") as built:
            conversation = Conversation(built, environment)
            story = conversation.hold(STORY)
            built.close()
            for file, lines in built.dump().items():
                write_lines(f"{store}.{file}", lines)
            names, now = dict(conversation.names), environment.now
        with service(store, environment := FrozenEnvironment(now), f"record-{store}") as built:
            built.fill({file: read_lines(f"{store}.{file}") for file in ("objects", "members")}, MODEL)
            built.open(MODEL)
            conversation = Conversation(built, environment, names)
            answers, writes = conversation.hold(QUESTIONS), conversation.hold(WRITES)
            built.close()
            digests[store] = digest(built.dump(), writes)
        found = {"story": story, "questions": answers, "writes": writes}
        for name, value in found.items():
            write_json(f"{name}.json", value)
        write_json("names.json", {"now": now, "names": names, "digests": digests})


if __name__ == "__main__":
    record()
