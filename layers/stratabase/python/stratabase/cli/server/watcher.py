"""Sees which files change: those of the code, the template and the model."""

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

STEP = 50
"""Milliseconds without a further change after which changes count as one."""
MAX_DEBOUNCE = 400
"""Milliseconds after which they do anyway."""

OnChange = Callable[[set[Path]], None]


class Watcher:
    """Calls `changed` from a thread of its own, with the files that were written, made or removed."""

    def __init__(self, trees: Iterable[Path], files: Iterable[Path], on_change: OnChange) -> None:
        self._stop = threading.Event()
        self._on_change = on_change
        self._trees = [tree.resolve() for tree in trees if tree.is_dir()]
        self._files = {file.parent.resolve() / file.name for file in files}
        self._threads = [threading.Thread(target=watch, daemon=True) for watch in self._watches()]

    def start(self) -> None:
        """Begin to watch."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Watch no more."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _watches(self) -> Iterable[Callable[[], None]]:
        if self._trees:
            yield self._watch_trees
        if any(file.parent.is_dir() for file in self._files):
            yield self._watch_files

    def _watch_trees(self) -> None:
        from watchfiles import Change, DefaultFilter  # noqa: PLC0415 - see _watch

        usual = DefaultFilter()

        def is_wanted(change: Change, path: str) -> bool:
            file = Path(path)
            # A single file that lies in a tree, as the model does, is watched once: below.
            return usual(change, path) and bool(file.suffix) and file not in self._files

        self._watch(self._trees, is_wanted)

    def _watch_files(self) -> None:
        """Watch the folders of single files: an editor may put a new file in the place of the old one."""
        folders = {file.parent for file in self._files if file.parent.is_dir()}
        self._watch(folders, lambda _, path: Path(path) in self._files, recursive=False)

    def _watch(
        self, paths: Iterable[Path], is_wanted: Callable[..., bool], *, recursive: bool = True
    ) -> None:
        # Imported here, so that the worker starts first: it takes longer.
        from watchfiles import watch  # noqa: PLC0415

        for changes in watch(
            *paths,
            watch_filter=is_wanted,
            step=STEP,
            debounce=MAX_DEBOUNCE,
            stop_event=self._stop,
            recursive=recursive,
            raise_interrupt=False,
        ):
            self._on_change({Path(path) for _, path in changes})
